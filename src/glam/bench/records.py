"""What a benchmark found out, in one file that stands for itself: a record for each cell, and the runs behind them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from glam.bench.cell import Cell
from glam.bench.node import Node, Workshop, ordered
from glam.core.configs import to_json
from glam.core.files import read_json, write_json

CELLS, RUNS = "cells", "runs"

Key = tuple[str, str]
"""Kind and name of a run. A name is a hash of settings: it stands for the same run in any record and workshop."""


def write(name: str, cells: Sequence[Cell], workshop: Workshop, folder: Path) -> Path:
    """All cells of a grid, and the notes of all that is done of it here or was done before, wherever that was.

    Runs of other grids whose records lie in the same folder count too. What else the file says, such as speeds measured
    by hand, stays.
    """
    path = folder / f"{name.replace('-', '_')}.json"
    record: dict[str, Any] = read_json(path) if path.exists() else {}
    earlier = recorded(folder) | _runs(record)
    notes = {}
    for node in ordered([cell.node for cell in cells]):
        key = node.kind, node.name
        if workshop.is_done(node):
            notes[key] = _short(node, read_json(workshop.note(node)))
        elif key in earlier:
            notes[key] = earlier[key]
    entries = [_entry(cell, notes) for cell in cells]
    write_json(path, record | {"benchmark": name, CELLS: entries, RUNS: list(notes.values())})
    return path


def recorded(folder: Path) -> dict[Key, Any]:
    """The runs of every record in a folder."""
    found: dict[Key, Any] = {}
    for path in sorted(folder.glob("*.json")):
        found |= _runs(read_json(path))
    return found


def missing(cells: Sequence[Cell], folder: Path) -> list[Cell]:
    """The cells that no record in the folder tells the outcome of."""
    done = recorded(folder)
    return [cell for cell in cells if (cell.node.kind, cell.node.name) not in done]


def _runs(record: Any) -> dict[Key, Any]:
    """Other results lie in the same folder, and have no runs."""
    runs = record.get(RUNS, ()) if isinstance(record, Mapping) else ()
    return {(run["kind"], run["name"]): run for run in runs if {"kind", "name"} <= run.keys()}


def _short(node: Node, note: Mapping[str, Any]) -> dict[str, Any]:
    """A note with the nodes that it needs by their names, and numbers of six digits: whole trees make files large."""
    settings = {one.name: _named(getattr(node, one.name)) for one in fields(node)}  # type: ignore[arg-type]
    return {**note, "node": to_json(settings), "result": _rounded(note["result"])}


def _named(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_named(item) for item in value)
    return value.name if isinstance(value, Node) else value


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _entry(cell: Cell, notes: Mapping[Key, Any]) -> dict[str, Any]:
    """A cell that is not done has no seconds."""
    parts = [(node.kind, node.name) for node in ordered([cell.node])]
    seconds: dict[str, float] = defaultdict(float)
    if (cell.node.kind, cell.node.name) in notes:
        for kind, name in parts:
            seconds[kind] += notes[kind, name]["seconds"] if (kind, name) in notes else 0.0
    return {
        "task": cell.task,
        "method": cell.method,
        "seed": cell.seed,
        "detail": cell.detail,
        "kind": cell.node.kind,
        "run": cell.node.name,
        "learnt_from": to_json(cell.node.learnt_from),
        "seconds": {kind: round(value, 1) for kind, value in seconds.items()},
    }
