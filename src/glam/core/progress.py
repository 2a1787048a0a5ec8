"""How a long piece of work says how far it is, without knowing who looks."""

from typing import Protocol


class Progress(Protocol):
    """Called with the work done so far and the whole of it, in the same unit."""

    def __call__(self, done: int, total: int) -> None:
        """Take note."""


def unseen(done: int, total: int) -> None:
    """Nobody looks."""
