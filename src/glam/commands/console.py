"""Output of a running command: progress with the time left, the path of what was made, one line of error."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from glam.core.workers import Progress as Report

if TYPE_CHECKING:  # torch takes seconds to import, and most commands do without
    from glam.training.recorder import TrainingProgress

_OUT = Console(highlight=False, soft_wrap=True)
_ERR = Console(stderr=True, highlight=False, soft_wrap=True)
LINE_EVERY = 30.0
"""Seconds between two lines of progress where there is no terminal, as under nohup or SLURM."""


class Shown(Protocol):
    """Progress of one piece of work, as a user sees it."""

    def update(self, done: int, total: int, note: str = "") -> None:
        """Show that `done` of `total` is done; `note` is added, such as a loss."""

    def close(self) -> None:
        """Leave the terminal as it was."""


def say(text: str) -> None:
    """Print a line for the user."""
    _OUT.print(text, markup=False)


def say_error(text: str) -> None:
    """Print one sentence on standard error, if that can be written: the exit code says that something went wrong."""
    with suppress(OSError):
        _ERR.print(f"glam: {text}", markup=False)


@contextmanager
def bar(what: str) -> Iterator[Report]:
    """Progress with the time left, from the first report on; on standard error, so that output can be piped."""
    with _shown(what) as shown:
        yield shown.update


@contextmanager
def steps_bar(what: str) -> Iterator["Callable[[TrainingProgress], None]"]:
    """Progress of a training, with its loss."""
    with _shown(what) as shown:
        yield lambda progress: shown.update(progress.step, progress.steps, f"loss {progress.loss:.4g}")


@contextmanager
def _shown(what: str) -> Iterator[Shown]:
    shown: Shown = _Bar(what) if _ERR.is_terminal else ProgressLines(what)
    try:
        yield shown
    finally:
        shown.close()


class _Bar:
    """A bar on a terminal."""

    def __init__(self, what: str) -> None:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
        )
        self._progress = Progress(*columns, console=_ERR)
        self._task = self._progress.add_task(what, total=None, note="")

    def update(self, done: int, total: int, note: str = "") -> None:
        self._progress.start()
        self._progress.update(self._task, completed=done, total=total, note=note)

    def close(self) -> None:
        if self._progress.live.is_started:
            self._progress.stop()


class ProgressLines:
    """A line about every 30 seconds where there is no terminal; none of what is done sooner."""

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._clock = what, clock
        self._first_done = 0
        self._begun = self._printed = clock()

    def update(self, done: int, total: int, note: str = "") -> None:
        """Print a line if one is due."""
        now = self._clock()
        if not self._first_done:  # a resumed run has done some of its work before
            self._first_done, self._begun = done, now
        if now - self._printed >= LINE_EVERY and 0 < done < total:
            self._printed = now
            share = f"{self._what}: {done} of {total}, {100 * done / total:.0f} %"
            left = _time_left(now - self._begun, done - self._first_done, total - done)
            with suppress(OSError):  # a log on a full disk; the work goes on
                _ERR.print(", ".join(filter(None, (share, left, note))), markup=False)

    def close(self) -> None:
        """Leave everything as it is."""


def _time_left(seconds: float, done: int, left: int) -> str:
    if not done:
        return ""
    minutes = seconds / done * left / 60
    return f"about {minutes:.0f} min left" if minutes >= 1 else "less than a minute left"
