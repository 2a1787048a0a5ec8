"""Display of a running benchmark: a table that is updated in place on a terminal, lines anywhere else."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:  # torch takes seconds to import, and --help does without
    from glam.bench.progress import CellCount, GridProgress, RunInProgress

_OUT = Console(highlight=False, soft_wrap=True)
_COLUMNS = ("", "done", "running", "left", "failed", "time left")


@contextmanager
def shown(progress: "GridProgress", console: Console = _OUT) -> Iterator[Callable[[], None]]:
    """Show the progress of a grid; call what this yields after every change."""
    if not console.is_terminal:
        yield lambda: console.print(line(progress), markup=False)
        return
    with Live(get_renderable=lambda: table(progress), console=console, refresh_per_second=1) as live:
        yield live.refresh


def table(progress: "GridProgress") -> RenderableType:
    """Cells by task, and the runs in progress."""
    drawn = Table(*_COLUMNS, show_footer=False, box=None, pad_edge=False)
    for column in drawn.columns[1:]:
        column.justify = "right"
    for task, count in progress.tasks.items():
        drawn.add_row(task, *_numbers(count))
    drawn.add_row(Text("all", style="bold"), *_numbers(progress.whole))
    return Group(drawn, *(Text(f"now {now(one)}", overflow="ellipsis", no_wrap=True) for one in progress.in_progress))


def line(progress: "GridProgress") -> str:
    """Everything in one line."""
    count = progress.whole
    failed = f", {count.failed} failed" if count.failed else ""
    busy = "; ".join(now(one) for one in progress.in_progress) or "nothing"
    cells = f"{count.done} cells done, {count.running} running, {count.left} left{failed}"
    return f"{cells}; about {time_left(count.hours)} left; now {busy}"


def now(one: "RunInProgress") -> str:
    """A run in progress."""
    return f"{one.run.kind} {one.run.title} ({one.seconds / 60:.0f} of about {one.expected / 60:.0f} min)"


def time_left(hours: float) -> str:
    """Time in the unit that fits."""
    return f"{hours:.1f} hours" if hours >= 1 else f"{60 * hours:.0f} minutes"


def _numbers(count: "CellCount") -> tuple[str, ...]:
    counts = (count.done, count.running, count.left, count.failed)
    return (*(str(number) if number else "-" for number in counts), time_left(count.hours) if count.hours else "-")
