"""`glam bench`."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from glam.commands.console import say
from glam.core.errors import GlamError

if TYPE_CHECKING:  # torch takes seconds to import, and most commands do without
    from glam.bench.node import Node, Workshop
    from glam.bench.running import State


@dataclass(frozen=True)
class Bench:
    """Run a whole table or figure. Runs that are done are not repeated, and shared ones are made once."""

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
    """world-models: every method of stage 1 and what it transfers; policies: every way to a policy for stack-two."""
    root: Path = Path("bench")
    """Folder for everything that is made on the way."""
    records: Path = Path("docs/results")
    """Folder of the records."""
    workers: int = 2
    """Runs at a time, one core each."""
    dry_run: bool = False
    """Only tell what there is to do, and how long it may take."""

    def run(self) -> int:
        """Run what is missing and print the path of the record."""
        from glam.bench import records, running
        from glam.bench.grids import find_grid
        from glam.bench.node import Workshop, ordered

        if self.workers < 1:
            raise GlamError(f"--workers {self.workers} must be at least 1")
        cells, workshop = find_grid(self.name), Workshop(self.root)
        if self.dry_run:
            _tell(ordered(cells), workshop, self.workers)
            return 0

        def watch(state: "State") -> None:
            records.write(self.name, cells, workshop, self.records)
            say(_line(state, workshop, self.workers))

        running.run(cells, workshop, self.workers, watch)
        say(str(records.write(self.name, cells, workshop, self.records)))
        return 0


def _tell(nodes: "Sequence[Node]", workshop: "Workshop", workers: int) -> None:
    """One line for each node, and the sum."""
    for node in nodes:
        state = "done" if workshop.is_done(node) else "to do"
        say(f"{state:6s} {workshop.seconds(node) / 60:6.1f} min  {node.kind:12s} {node.title}")
    left = [node for node in nodes if not workshop.is_done(node)]
    say(f"{len(nodes) - len(left)} of {len(nodes)} done; about {_hours(left, workshop, workers)} left")


def _line(state: "State", workshop: "Workshop", workers: int) -> str:
    """How far a grid is, in one line."""
    counts = Counter(node.kind for node in state.left)
    left = ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "nothing"
    now = ", ".join(f"{node.kind} {node.title}" for node in state.running) or "nothing"
    failed = f"; {len(state.failed)} failed" if state.failed else ""
    time = _hours((*state.left, *state.running), workshop, workers)
    return f"{len(state.done)} done{failed}; now {now}; then {left}; about {time} left"


def _hours(nodes: "Sequence[Node]", workshop: "Workshop", workers: int) -> str:
    return f"{sum(workshop.seconds(node) for node in nodes) / workers / 3600:.1f} hours"
