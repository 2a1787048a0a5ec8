"""How far a grid is, counted in cells: what a reader waits for is a cell, not the nodes it is made of."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from glam.bench.cell import Cell
from glam.bench.estimates import Estimates
from glam.bench.node import Node, Workshop, ordered
from glam.bench.running import State

Clock = Callable[[], float]


@dataclass(frozen=True)
class Count:
    """Cells of one task, or of all."""

    done: int
    running: int
    """Of which a part is being made, and which no earlier cell needs."""
    left: int
    failed: int
    hours: float
    """Until the last of them, on all slots."""


@dataclass(frozen=True)
class Line:
    """A node that is being made."""

    node: Node
    seconds: float
    """So far."""
    expected: float


@dataclass
class Tally:
    """Counts cells from one state of the runner to the next."""

    cells: Sequence[Cell]
    workshop: Workshop
    slots: int
    clock: Clock = time.monotonic
    _since: dict[Node, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Each node belongs to the first cell that needs it."""
        self._owners: dict[Node, Cell] = {}
        for cell in self.cells:
            for node in ordered([cell.node]):
                self._owners.setdefault(node, cell)
        self.take(State((), (), tuple(self._owners), ()))

    def take(self, state: State) -> None:
        """Go on to the next state."""
        self._state, self._estimates = state, Estimates.of(list(self._owners), self.workshop)
        self._since = {node: self._since.get(node, self.clock()) for node in state.running}

    @property
    def tasks(self) -> dict[str, Count]:
        """By task, in the order of the grid."""
        names = dict.fromkeys(cell.task for cell in self.cells)
        return {name: self.count([cell for cell in self.cells if cell.task == name]) for name in names}

    @property
    def whole(self) -> Count:
        """All cells."""
        return self.count(self.cells)

    @property
    def lines(self) -> list[Line]:
        """What is being made now."""
        now = self.clock()
        return [Line(node, now - since, self._estimates.seconds(node)) for node, since in self._since.items()]

    def count(self, cells: Sequence[Cell]) -> Count:
        """These cells."""
        done, failed = set(self._state.done), set(self._state.failed)
        touched = {self._owners[node] for node in self._state.running}
        states = [self._state_of(cell, done, failed, touched) for cell in cells]
        counts = {name: states.count(name) for name in ("done", "running", "left", "failed")}
        return Count(**counts, hours=self._hours(set(cells)))

    @staticmethod
    def _state_of(cell: Cell, done: set[Node], failed: set[Node], touched: set[Cell]) -> str:
        if cell.node in done:
            return "done"
        if cell.node in failed:
            return "failed"
        return "running" if cell in touched else "left"

    def _hours(self, cells: set[Cell]) -> float:
        waiting = [node for node in self._state.left if self._owners[node] in cells]
        begun = [line for line in self.lines if self._owners[line.node] in cells]
        rest = sum(max(line.expected - line.seconds, 0.0) for line in begun)
        return self._estimates.hours(waiting, self.slots) + rest / self.slots / 3600
