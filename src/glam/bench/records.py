"""The record of a benchmark: one JSON file with an entry for each cell of a grid, and the runs behind them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from glam.bench.cell import Cell
from glam.bench.run import BenchRun, RunStore, ordered
from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.core.files import read_json, write_json

BENCHMARK, CELLS, RUNS, CODE = "benchmark", "cells", "runs", "code"
UNKNOWN_CODE = "unknown"
"""Of runs that were made before runs noted their code."""

Key = tuple[str, str]
"""Kind and name of a run. A name ends with a hash of the settings: it means the same run in any record and store."""


def write_record(name: str, cells: Sequence[Cell], store: RunStore, folder: Path | None = None) -> Path:
    """Write all cells of a grid, and all runs of it that are done, to the records of the store or to another folder.

    Runs that are recorded in that folder already, for this grid or another one, count as done. Other entries of the
    file, such as speeds measured by hand, are kept.
    """
    folder = folder or store.records
    path = folder / f"{name.replace('-', '_')}.json"
    record = read_json(path) if path.exists() else {}
    if not isinstance(record, dict):
        raise GlamError(f"{path}: not a record of glam bench; move it away")
    earlier = recorded_runs(folder) | _runs(record)
    done = {}
    for run in ordered([cell.run for cell in cells]):
        key = run.kind, run.name
        if store.is_done(run):
            done[key] = _short(run, store.read(run))
        elif key in earlier:
            done[key] = earlier[key]
    entries = [_entry(cell, done) for cell in cells]
    told = {BENCHMARK: name, CODE: _revisions(done.values()), CELLS: entries, RUNS: list(done.values())}
    write_json(path, record | told)
    return path


def revisions(path: Path) -> dict[str, int]:
    """Runs behind a record by the revision of the code that made them: a table should have one revision."""
    found: dict[str, int] = read_json(path)[CODE]
    return found


def _revisions(runs: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    return dict(Counter(run.get(CODE, UNKNOWN_CODE) for run in runs).most_common())


def recorded_runs(folder: Path) -> dict[Key, Any]:
    """The runs of every record in a folder."""
    found: dict[Key, Any] = {}
    for path in sorted(folder.glob("*.json")):
        found |= _runs(read_json(path))
    return found


def without_recorded(cells: Sequence[Cell], folders: Iterable[Path]) -> list[Cell]:
    """The cells whose result is in no record of these folders."""
    done = {key for folder in folders for key in recorded_runs(folder)}
    return [cell for cell in cells if (cell.run.kind, cell.run.name) not in done]


def _runs(record: Any) -> dict[Key, Any]:
    """Runs of a record; other results in the same folder have none."""
    runs = record.get(RUNS, ()) if isinstance(record, Mapping) else ()
    return {(run["kind"], run["name"]): run for run in runs if {"kind", "name"} <= run.keys()}


def _short(run: BenchRun, run_record: Mapping[str, Any]) -> dict[str, Any]:
    """A run record that names the runs it needs instead of repeating them, with numbers of six digits."""
    config = {one.name: _named(getattr(run, one.name)) for one in fields(run)}  # type: ignore[arg-type]
    return {**run_record, "config": to_json(config), "result": _rounded(run_record["result"])}


def _named(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_named(item) for item in value)
    return value.name if isinstance(value, BenchRun) else value


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _entry(cell: Cell, done: Mapping[Key, Any]) -> dict[str, Any]:
    """An entry of the record; a cell that is not done has no seconds."""
    parts = [(run.kind, run.name) for run in ordered([cell.run])]
    seconds: dict[str, float] = defaultdict(float)
    if (cell.run.kind, cell.run.name) in done:
        for kind, name in parts:
            seconds[kind] += done[kind, name]["seconds"] if (kind, name) in done else 0.0
    return {
        "task": cell.task,
        "method": cell.method,
        "seed": cell.seed,
        "detail": cell.detail,
        "kind": cell.run.kind,
        "run": cell.run.name,
        "learnt_from": to_json(cell.run.learnt_from),
        "seconds": {kind: round(value, 1) for kind, value in seconds.items()},
    }
