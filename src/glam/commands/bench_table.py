"""A running benchmark as people see it: a table that stays in place on a terminal, lines anywhere else."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:  # torch takes seconds to import, and --help does without
    from glam.bench.progress import Count, Line, Tally

_OUT = Console(highlight=False, soft_wrap=True)
_COLUMNS = ("", "done", "running", "left", "failed", "time left")


@contextmanager
def shown(tally: "Tally", console: Console = _OUT) -> Iterator[Callable[[], None]]:
    """Show a tally; call what this yields after every change."""
    if not console.is_terminal:
        yield lambda: console.print(line(tally), markup=False)
        return
    with Live(get_renderable=lambda: table(tally), console=console, refresh_per_second=1) as live:
        yield live.refresh


def table(tally: "Tally") -> RenderableType:
    """Cells by task, and what is being made now."""
    drawn = Table(*_COLUMNS, show_footer=False, box=None, pad_edge=False)
    for column in drawn.columns[1:]:
        column.justify = "right"
    for task, count in tally.tasks.items():
        drawn.add_row(task, *_numbers(count))
    drawn.add_row(Text("all", style="bold"), *_numbers(tally.whole))
    return Group(drawn, *(Text(f"now {now(one)}", overflow="ellipsis", no_wrap=True) for one in tally.lines))


def line(tally: "Tally") -> str:
    """All of it in one line."""
    count = tally.whole
    failed = f", {count.failed} failed" if count.failed else ""
    busy = "; ".join(now(one) for one in tally.lines) or "nothing"
    cells = f"{count.done} cells done, {count.running} running, {count.left} left{failed}"
    return f"{cells}; about {time_left(count.hours)} left; now {busy}"


def now(one: "Line") -> str:
    """A node on its way."""
    return f"{one.node.kind} {one.node.title} ({one.seconds / 60:.0f} of about {one.expected / 60:.0f} min)"


def time_left(hours: float) -> str:
    """In the unit that fits."""
    return f"{hours:.1f} hours" if hours >= 1 else f"{60 * hours:.0f} minutes"


def _numbers(count: "Count") -> tuple[str, ...]:
    counts = (count.done, count.running, count.left, count.failed)
    return (*(str(number) if number else "-" for number in counts), time_left(count.hours) if count.hours else "-")
