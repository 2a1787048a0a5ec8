"""How a long piece of work says how far it is, without knowing who looks."""

from dataclasses import dataclass
from typing import Protocol


class Progress(Protocol):
    """Called with the work done so far and the whole of it, in the same unit."""

    def __call__(self, done: int, total: int) -> None:
        """Take note."""


def no_progress(done: int, total: int) -> None:
    """Nobody looks."""


@dataclass(frozen=True)
class Part:
    """One of several pieces of work that are shown as one."""

    whole: Progress
    before: int
    """Work done in the pieces before this one."""
    total: int
    """Work of all pieces together."""

    def __call__(self, done: int, total: int) -> None:
        """Report this piece's work on top of what was done before."""
        del total
        self.whole(self.before + done, self.total)
