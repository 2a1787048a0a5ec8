"""What the fixture `glam` gives: a command as a user types it, and what came of it."""

from collections.abc import Callable
from typing import NamedTuple


class Said(NamedTuple):
    """What came of a command."""

    code: int
    output: str
    error: str

    @property
    def lines(self) -> list[str]:
        """Those of the output, without empty ones around it."""
        return self.output.strip().splitlines()


Glam = Callable[..., Said]
