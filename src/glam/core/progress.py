"""Progress callbacks: a long piece of work reports how far it is."""

from dataclasses import dataclass
from typing import Protocol


class Progress(Protocol):
    """Callback that takes the work done so far and all of it, in the same unit."""

    def __call__(self, done: int, total: int) -> None:
        """Report."""


def no_progress(done: int, total: int) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class Part:
    """Callback of one of several pieces of work that are shown as one."""

    whole: Progress
    before: int
    """Work done in the pieces before this one."""
    total: int
    """Work of all pieces together."""

    def __call__(self, done: int, total: int) -> None:
        """Report this piece's work on top of what was done before."""
        del total
        self.whole(self.before + done, self.total)
