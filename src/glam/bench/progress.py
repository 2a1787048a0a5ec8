"""Progress of a grid, counted in cells, and estimates of the time left."""

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from glam.bench.cell import Cell
from glam.bench.run import BenchRun, RunStore, ordered
from glam.bench.running import GridState

Clock = Callable[[], float]


@dataclass(frozen=True)
class TimeEstimates:
    """Seconds of one core that runs take: as measured where they are done, else as others of their kind took."""

    measured: dict[BenchRun, float]
    rates: dict[str, float]
    """Seconds of a run of size 1, by kind."""

    @classmethod
    def of(cls, runs: Sequence[BenchRun], store: RunStore) -> "TimeEstimates":
        """Estimates for these runs, from those among them that are done."""
        measured = {run: float(store.read(run)["seconds"]) for run in runs if store.is_done(run)}
        rates = defaultdict(list)
        for run, seconds in measured.items():
            rates[run.kind].append(seconds / run.size)
        return cls(measured, {kind: median(found) for kind, found in rates.items()})

    def seconds(self, run: BenchRun) -> float:
        """Time that a run took, or is likely to take."""
        return self.measured.get(run, self.rates.get(run.kind, run.seconds) * run.size)

    def hours(self, runs: Sequence[BenchRun], slots: int) -> float:
        """Time of all these runs on that many cores."""
        return sum(self.seconds(run) for run in runs) / slots / 3600


@dataclass(frozen=True)
class CellCount:
    """Cells of one task, or of all tasks."""

    done: int
    running: int
    """Cells with a run in progress that no earlier cell needs."""
    left: int
    failed: int
    hours: float
    """Time until the last of them, on all slots."""


@dataclass(frozen=True)
class RunInProgress:
    """A run in progress, with its time."""

    run: BenchRun
    seconds: float
    """Since it began."""
    expected: float


@dataclass
class GridProgress:
    """Counts cells from one state of the grid to the next."""

    cells: Sequence[Cell]
    store: RunStore
    slots: int
    clock: Clock = time.monotonic
    _since: dict[BenchRun, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Assign each run to the first cell that needs it."""
        self._owners: dict[BenchRun, Cell] = {}
        for cell in self.cells:
            for run in ordered([cell.run]):
                self._owners.setdefault(run, cell)
        self.take(GridState((), (), tuple(self._owners), ()))

    def take(self, state: GridState) -> None:
        """Go on to the next state."""
        self._state, self._estimates = state, TimeEstimates.of(list(self._owners), self.store)
        self._since = {run: self._since.get(run, self.clock()) for run in state.running}

    @property
    def tasks(self) -> dict[str, CellCount]:
        """Counts by task, in the order of the grid."""
        names = dict.fromkeys(cell.task for cell in self.cells)
        return {name: self.count([cell for cell in self.cells if cell.task == name]) for name in names}

    @property
    def whole(self) -> CellCount:
        """Count of all cells."""
        return self.count(self.cells)

    @property
    def in_progress(self) -> list[RunInProgress]:
        """Runs in progress."""
        now = self.clock()
        return [RunInProgress(run, now - since, self._estimates.seconds(run)) for run, since in self._since.items()]

    def count(self, cells: Sequence[Cell]) -> CellCount:
        """Count of these cells."""
        done, failed = set(self._state.done), set(self._state.failed)
        touched = {self._owners[run] for run in self._state.running}
        states = [self._state_of(cell, done, failed, touched) for cell in cells]
        counts = {name: states.count(name) for name in ("done", "running", "left", "failed")}
        return CellCount(**counts, hours=self._hours(set(cells)))

    @staticmethod
    def _state_of(cell: Cell, done: set[BenchRun], failed: set[BenchRun], touched: set[Cell]) -> str:
        if cell.run in done:
            return "done"
        if cell.run in failed:
            return "failed"
        return "running" if cell in touched else "left"

    def _hours(self, cells: set[Cell]) -> float:
        waiting = [run for run in self._state.left if self._owners[run] in cells]
        begun = [one for one in self.in_progress if self._owners[one.run] in cells]
        rest = sum(max(one.expected - one.seconds, 0.0) for one in begun)
        return self._estimates.hours(waiting, self.slots) + rest / self.slots / 3600
