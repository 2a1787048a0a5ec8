"""`glam bench`, and its display: a table that is updated in place on a terminal, lines anywhere else."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from glam.bench.grids import GRIDS
from glam.commands.console import say
from glam.core.errors import GlamError

if TYPE_CHECKING:  # torch takes seconds to import, and --help does without
    from glam.bench.cell import Cell
    from glam.bench.progress import CellCount, GridProgress, RunInProgress
    from glam.bench.run import RunStore
    from glam.bench.running import Engine, GridState

    Grids = dict[str, list[Cell]]


_OUT = Console(highlight=False, soft_wrap=True)
_NAMES = f"One or several grids, run in this order.\n{GRIDS.help}"
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


@dataclass(frozen=True)
class Bench:
    """Run whole tables or figures. Finished runs are not repeated, and runs that several cells need are made once.

    Writes below ROOT only, unless --records names another folder. Results: `glam report ROOT/records`.
    """

    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="NAME", help=_NAMES)]
    root: Path = Path("runs/bench")
    """Folder for all runs, logs and records; on a cluster a folder that all machines see."""
    tasks: tuple[str, ...] = ()
    """Only these tasks; all tasks by default."""
    methods: tuple[str, ...] = ()
    """Only these methods; all methods by default."""
    seeds: tuple[int, ...] = ()
    """Only these training seeds; the grids of the paper have 0, 1 and 2, and run them in this order."""
    details: tuple[str, ...] = ()
    """Only cells whose detail, as --dry-run shows it, begins so, such as 'own frame'; all by default."""
    workers: int = 2
    """Number of CPU cores to use; on a cluster at most those that it has. A training uses one core."""
    engine: Literal["local", "ray"] = "local"
    """Where to run: in processes of this machine, or on a Ray cluster that is running already (extra [cluster])."""
    records: Path | None = None
    """Folder to write the record of each grid to; by default ROOT/records. Results that it has already are kept, so
    that several machines can fill one folder."""
    skip_recorded: Annotated[tuple[Path, ...], tyro.conf.arg(metavar="DIR...")] = ()
    """Folders with records: cells with a result there are not run again. These folders are only read."""
    dry_run: bool = False
    """Only list the cells and estimate how long they take."""

    def run(self) -> int:
        """Run what is missing and print the paths of the records."""
        from glam.bench.run import RunStore

        grids, store = self._grids(), RunStore(self.root)
        cells = self._chosen(grids)
        if self.dry_run:
            _list_cells(cells, store, self.workers)
        else:
            self._run(grids, cells, store)
        return 0

    def _grids(self) -> "Grids":
        from glam.bench.grids import find_grid

        if not self.names:
            raise GlamError(f"NAME: choose at least one of {', '.join(GRIDS)}")
        return {name: find_grid(name) for name in self.names}

    def _chosen(self, grids: "Grids") -> "list[Cell]":
        from glam.bench.cell import Selection
        from glam.bench.records import without_recorded

        every = list(dict.fromkeys(cell for grid in grids.values() for cell in grid))
        chosen = Selection(self.tasks, self.methods, self.seeds, self.details).of(every, " and ".join(grids))
        return without_recorded(chosen, self.skip_recorded)

    def _run(self, grids: "Grids", cells: "list[Cell]", store: "RunStore") -> None:
        from glam.bench.progress import GridProgress
        from glam.bench.records import revisions, write_record
        from glam.bench.running import run_all

        engine = self._engine()
        progress = GridProgress(cells, store, engine.slots)
        with shown(progress) as show:

            def on_state(state: "GridState") -> None:
                for name, grid in grids.items():
                    write_record(name, grid, store, self.records)
                progress.take(state)
                show()

            run_all([cell.run for cell in cells], store, engine, on_state)
        for name, grid in grids.items():
            path = write_record(name, grid, store, self.records)
            say(str(path))
            if len(revisions(path)) > 1:
                say(f"{name}: {_of_several_revisions(revisions(path))}")

    def _engine(self) -> "Engine":
        if self.engine == "ray":
            from glam.bench.on_ray import RayEngine

            return RayEngine(self.workers)
        from glam.bench.running import local_engine

        return local_engine(self.workers)


def _of_several_revisions(found: "Mapping[str, int]") -> str:
    told = ", ".join(f"{count} of {code}" for code, count in found.items())
    return f"not all runs were made by the same code: {told}; to make a table anew, give another --root"


def _list_cells(cells: "Sequence[Cell]", store: "RunStore", workers: int) -> None:
    """Print a line for each cell with the work it adds to that of the cells before, and the sum."""
    from glam.bench.progress import TimeEstimates
    from glam.bench.run import BenchRun, ordered
    from glam.bench.running import local_engine

    slots = local_engine(workers).slots
    every = ordered([cell.run for cell in cells])
    estimates, counted = TimeEstimates.of(every, store), set[BenchRun]()
    for cell in cells:
        new = [run for run in ordered([cell.run]) if not store.is_done(run) and run not in counted]
        counted |= set(new)
        state = "done" if store.is_done(cell.run) else "to do"
        say(f"{state:6s} {60 * estimates.hours(new, 1):6.1f} min  {cell.run.kind:12s} {cell.title}")
    done = sum(store.is_done(cell.run) for cell in cells)
    left = time_left(estimates.hours(list(counted), slots))
    say(f"{done} of {len(cells)} cells done; about {left} left with {slots} at a time")
