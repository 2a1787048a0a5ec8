"""Ctrl-C and SIGTERM, SLURM's way to end a job: a training finishes its step, saves a checkpoint and then ends."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from glam.core.errors import InterruptedRun

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """A signal that has come while a training was running."""

    def __init__(self) -> None:
        self.signal = 0

    def __bool__(self) -> bool:
        return self.signal != 0

    def end(self, step: int) -> None:
        """End the run whose checkpoint of `step` is saved."""
        raise InterruptedRun(self.signal, f"saved at step {step}")


@contextmanager
def watching_for_signals(*, is_alone: bool) -> Iterator[Interruption]:
    """Note the first SIGINT or SIGTERM instead of dying of it; a second one ends the process at once.

    Several processes that train together would stop at different steps and wait for each other for ever, and Python
    handles signals in its main thread only: there, signals act as usual.
    """
    interruption = Interruption()
    if not is_alone or threading.current_thread() is not threading.main_thread():
        yield interruption
        return
    before: dict[int, Any] = {}

    def restore() -> None:
        while before:
            number, handler = before.popitem()
            signal.signal(number, handler)

    def note(number: int, frame: FrameType | None) -> None:
        del frame
        interruption.signal = number
        restore()

    before.update({number: signal.signal(number, note) for number in _SIGNALS})
    try:
        yield interruption
    finally:
        restore()
