"""What the fixture `glam` gives: a command as a user types it, and what came of it."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from glam.core.files import sha256

BAR = "\N{BOX DRAWINGS HEAVY HORIZONTAL}"  # progress bars are drawn with it


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


def content(place: Path) -> dict[str, str]:
    """Every file and folder below, with what is in it."""
    return {str(path): sha256(path) if path.is_file() else "folder" for path in sorted(place.rglob("*"))}


def refused(glam: Glam, place: Path, *words: object) -> str:
    """The one sentence with which a command is refused that leaves everything as it was."""
    before = content(place)
    said = glam(*words)
    assert said.code == 2
    assert content(place) == before
    assert "Traceback" not in said.error
    lines = [line for line in said.error.splitlines() if line and BAR not in line]
    assert len(lines) == 1, said.error
    assert lines[0].startswith("glam: ")
    return lines[0]
