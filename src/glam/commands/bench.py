"""`glam bench`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from glam.commands.bench_table import shown, time_left
from glam.commands.console import say
from glam.core.errors import GlamError

if TYPE_CHECKING:  # torch takes seconds to import, and most commands do without
    from glam.bench.cell import Cell
    from glam.bench.engines import Engine
    from glam.bench.node import Workshop
    from glam.bench.running import State

    Grids = dict[str, list[Cell]]


@dataclass(frozen=True)
class Bench:
    """Run whole tables or figures. Runs that are done are not repeated, and shared ones are made once."""

    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
    """One or several of these, in the order in which they are to be run. main: five tasks, every method. scaling:
    success over the number of demonstrations. few-labels: the same where labelled ones are few. third-source: a third
    source to learn from. transfer: replays of every source. ablation: the method without each of its parts.
    smoothness: how smoothly policies move. world-models: every method of stage 1. policies: every way to a policy for
    stack-two. tuning: what a policy's success depends on. smoke: a minute that tries the machine."""
    root: Path = Path("bench")
    """Folder for everything that is made on the way; on a cluster one that all machines see."""
    records: Path = Path("docs/results")
    """Folder of the records."""
    tasks: tuple[str, ...] = ()
    """Only these tasks; all when there are none."""
    methods: tuple[str, ...] = ()
    """Only these methods."""
    seeds: tuple[int, ...] = ()
    """Only these training seeds; the grids of the paper have 0, 1 and 2, and run them in this order."""
    workers: int = 2
    """Runs at a time, one core each; on a cluster no more than it has cores."""
    engine: Literal["local", "ray"] = "local"
    """Where runs are made: processes of this machine, or a Ray cluster that is running already (extra [cluster])."""
    missing: bool = False
    """Only cells that no record in --records tells the outcome of: go on with what was begun on another machine."""
    dry_run: bool = False
    """Only tell what there is to do, and how long it may take."""

    def run(self) -> int:
        """Run what is missing and print the paths of the records."""
        from glam.bench.node import Workshop

        grids, workshop = self._grids(), Workshop(self.root)
        cells = self._chosen(grids)
        if self.dry_run:
            _tell(cells, workshop, self.workers)
        else:
            self._run(grids, cells, workshop)
        return 0

    def _grids(self) -> "Grids":
        from glam.bench.grids import GRIDS, find_grid

        if not self.names:
            raise GlamError(f"NAME: choose at least one of {', '.join(GRIDS)}")
        return {name: find_grid(name) for name in self.names}

    def _chosen(self, grids: "Grids") -> "list[Cell]":
        from glam.bench.cell import Selection
        from glam.bench.records import missing

        every = list(dict.fromkeys(cell for grid in grids.values() for cell in grid))
        chosen = Selection(self.tasks, self.methods, self.seeds).of(every, " and ".join(grids))
        return missing(chosen, self.records) if self.missing else chosen

    def _run(self, grids: "Grids", cells: "list[Cell]", workshop: "Workshop") -> None:
        from glam.bench import records, running
        from glam.bench.kept_films import keep_films
        from glam.bench.progress import Tally

        engine = self._engine()
        tally = Tally(cells, workshop, engine.slots)
        with shown(tally) as show:

            def on_state(state: "State") -> None:
                for name, grid in grids.items():
                    keep_films(name, grid, workshop, self.records)
                    records.write(name, grid, workshop, self.records)
                tally.take(state)
                show()

            running.run([cell.node for cell in cells], workshop, engine, on_state)
        for name, grid in grids.items():
            keep_films(name, grid, workshop, self.records)
            say(str(records.write(name, grid, workshop, self.records)))

    def _engine(self) -> "Engine":
        if self.engine == "ray":
            from glam.bench.on_ray import RayEngine

            return RayEngine(self.workers)
        from glam.bench.engines import local

        return local(self.workers)


def _tell(cells: "Sequence[Cell]", workshop: "Workshop", workers: int) -> None:
    """One line for each cell with what it adds to the work of those before, and the sum."""
    from glam.bench.engines import local
    from glam.bench.estimates import Estimates
    from glam.bench.node import Node, ordered

    slots = local(workers).slots
    every = ordered([cell.node for cell in cells])
    estimates, told = Estimates.of(every, workshop), set[Node]()
    for cell in cells:
        new = [node for node in ordered([cell.node]) if not workshop.is_done(node) and node not in told]
        told |= set(new)
        state = "done" if workshop.is_done(cell.node) else "to do"
        say(f"{state:6s} {60 * estimates.hours(new, 1):6.1f} min  {cell.node.kind:12s} {cell.title}")
    done = sum(workshop.is_done(cell.node) for cell in cells)
    left = time_left(estimates.hours(list(told), slots))
    say(f"{done} of {len(cells)} cells done; about {left} left with {slots} at a time")
