"""What people see of a running command: a bar with the time left, the path of what was made, one line of error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from glam.core.progress import Progress as Report

if TYPE_CHECKING:  # torch takes seconds to import, and most commands do without
    from glam.training.recorder import TrainingProgress

_OUT = Console(highlight=False, soft_wrap=True)
_ERR = Console(stderr=True, highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """A line for the user."""
    _OUT.print(text, markup=False)


def say_error(text: str) -> None:
    """One sentence on standard error."""
    _ERR.print(f"glam: {text}", markup=False)


@contextmanager
def bar(what: str) -> Iterator[Report]:
    """A progress bar with the time left, from the first report on; on standard error, so that output can be piped."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    progress = Progress(*columns, console=_ERR)
    task = progress.add_task(what, total=None)

    def report(done: int, total: int) -> None:
        progress.start()
        progress.update(task, completed=done, total=total)

    try:
        yield report
    finally:
        if progress.live.is_started:
            progress.stop()


@contextmanager
def steps_bar(what: str) -> Iterator["Callable[[TrainingProgress], None]"]:
    """A progress bar for a training."""
    with bar(what) as report:
        yield lambda progress: report(progress.step, progress.steps)
