"""The records of `glam bench`, read back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from glam.bench.run import SourceSize
from glam.core.configs import from_json
from glam.core.errors import GlamError
from glam.core.files import read_json
from results.version_0_1 import renamed

BENCHMARK, CELLS, RUNS, NOTES = "benchmark", "cells", "runs", "notes"
DEMO, KILLS, SPEED, COVERAGE = "demo.json", "bench_kills.json", "speed.json", "coverage.json"


@dataclass(frozen=True)
class RecordedCell:
    """An entry of a table, done or not."""

    task: str
    method: str
    seed: int
    detail: str
    kind: str
    run: str
    """Name of the run that gives its result."""
    learnt_from: tuple[SourceSize, ...]
    """The labelled target first."""
    seconds: dict[str, float]
    """Of everything that it consists of, by kind; empty when it is not done."""

    @property
    def amounts(self) -> tuple[int, ...]:
        """Episodes of each source."""
        return tuple(source.episodes for source in self.learnt_from)


@dataclass(frozen=True)
class RecordedRun:
    """One run that is done."""

    kind: str
    name: str
    needs: tuple[str, ...]
    result: dict[str, Any]
    seconds: float


@dataclass(frozen=True)
class GridRecord:
    """One grid."""

    name: str
    cells: tuple[RecordedCell, ...] = ()
    runs: Mapping[tuple[str, str], RecordedRun] = field(default_factory=dict)
    """By kind and name."""
    notes: tuple[str, ...] = ()
    """Paragraphs written by hand: why a goal was missed, and what was tried."""
    measured: Mapping[str, Any] = field(default_factory=dict)
    """Whatever else is in the file, by name: measurements of the programs in `benchmarks`, revisions of the code."""

    def done(self, kind: str) -> Iterator[tuple[RecordedCell, RecordedRun]]:
        """The cells of a kind that have a result, with their runs."""
        for cell in self.cells:
            if cell.kind == kind and (kind, cell.run) in self.runs:
                yield cell, self.runs[kind, cell.run]

    def needed(self, run: RecordedRun, kind: str) -> Iterator[RecordedRun]:
        """The runs of a kind that a run needed."""
        for name in run.needs:
            if (kind, name) in self.runs:
                yield self.runs[kind, name]


@dataclass(frozen=True)
class Records:
    """Everything that a folder of records holds."""

    grids: Mapping[str, GridRecord]
    demo: tuple[Mapping[str, Any], ...] = ()
    """The seeds of `benchmarks/demo.py`."""
    kills: Mapping[str, Any] = field(default_factory=dict)
    """Kills of `glam bench` that were counted; today `make torture` makes more of them."""
    speed: Mapping[str, Any] = field(default_factory=dict)
    """All ratios of one run of `make speed`."""
    coverage: Mapping[str, Any] = field(default_factory=dict)
    """How often intervals hold the truth, by `benchmarks/coverage.py`."""

    def grid(self, name: str) -> GridRecord:
        """A grid; one without cells when it has not been run."""
        return self.grids.get(name, GridRecord(name))


def read_records(folder: Path) -> Records:
    """All records of a folder; other files are ignored."""
    found = {path: renamed(read_json(path)) for path in sorted(folder.glob("*.json"))}
    grids = [_record(path, value) for path, value in found.items() if _is_record(value)]
    others = {path.name: value for path, value in found.items() if isinstance(value, dict)}
    demo, kills, speed, coverage = (others.get(name, {}) for name in (DEMO, KILLS, SPEED, COVERAGE))
    return Records({grid.name: grid for grid in grids}, tuple(demo.get(RUNS, ())), kills, speed, coverage)


def _is_record(value: Any) -> bool:
    return isinstance(value, dict) and BENCHMARK in value


def _record(path: Path, value: Mapping[str, Any]) -> GridRecord:
    name = str(value[BENCHMARK])
    if not isinstance(value.get(CELLS), list) or not isinstance(value.get(RUNS), list):
        raise GlamError(f"{path}: lists no cells; run `glam bench {name}` once more, which repeats nothing")
    try:
        cells = tuple(from_json(RecordedCell, cell) for cell in value[CELLS])
        runs = [from_json(RecordedRun, _known(run)) for run in value[RUNS]]
    except GlamError as error:
        raise GlamError(f"{path}: {error}; run `glam bench {name}` once more") from None
    measured = {key: item for key, item in value.items() if key not in {BENCHMARK, CELLS, RUNS, NOTES}}
    return GridRecord(name, cells, {(run.kind, run.name): run for run in runs}, tuple(value.get(NOTES, ())), measured)


def _known(run: Any) -> Any:
    wanted = {one.name for one in fields(RecordedRun)}
    return {name: item for name, item in run.items() if name in wanted} if isinstance(run, dict) else run
