"""Precision of latent actions: replays with their action error, ablations of stage 1, and policies."""

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from glam.core.files import read_json, write_json
from results import paper
from results.document import NOT_RUN, Block, Section, Table, Words
from results.record import GridRecord, Records, read_records
from results.sources import REPLAY_COLUMNS, replays
from results.trials import of_method

GRID = "method"
POLICIES = ("mip", "glam", "glam-o", "retarget", "upper-bound")
TABLE = "table"
_WORDS = (
    "Replays of 20 held-out episodes for each training, open loop on the robot of the task, by world models of the "
    "recipe and with one setting changed; the action error is that on held-out episodes of the robot, relative to the "
    "variance of actions. Below, policies on validation scenes."
)


def method(records: Records) -> Section:
    """The section."""
    return Section("Precision of latent actions", tuple(_blocks(records.grid(GRID))))


def table(record: GridRecord) -> list[dict[str, Any]]:
    """An entry for each replayed setting and each policy."""
    entries = [dict(zip(("task", "method", *_REPLAYED), row, strict=True)) for row in _replayed(record)]
    return entries + [dict(zip(_TRIED, row, strict=True)) for row in _tried(record)]


def write_table(folder: Path) -> list[dict[str, Any]]:
    """Put the table into the record of the grid; returns it."""
    path = folder / f"{GRID}.json"
    found = table(read_records(folder).grid(GRID))
    write_json(path, read_json(path) | {TABLE: found})
    return found


_REPLAYED = ("setting", "action error", *REPLAY_COLUMNS[1:])
_TRIED = ("task", "policy", "trainings", "rate, 95 % interval", "each training")


def _blocks(record: GridRecord) -> Iterator[Block]:
    if not record.cells:
        yield Words(f"Not run yet: glam bench {GRID}.")
        return
    yield Words(_WORDS)
    yield Table(("task", "world model", *_REPLAYED), tuple(_replayed(record)), "Replays")
    yield Table(_TRIED, tuple(_tried(record)), "Policies")


def _replayed(record: GridRecord) -> Iterator[tuple[str, ...]]:
    """Each setting that is replayed, all trainings together."""
    cells = [cell for cell in record.cells if cell.kind == "replay"]
    for task, name, detail in dict.fromkeys((cell.task, cell.method, cell.detail) for cell in cells):
        errors = [
            model.result["probes"]["action_error"]
            for cell, run in record.done("replay")
            if (cell.task, cell.method, cell.detail) == (task, name, detail)
            for model in record.needed(run, "world-model")
        ]
        error = f"{median(errors):.3g}" if errors else "-"
        yield task, name, detail, error, *replays(record, task, name, detail)


def _tried(record: GridRecord) -> Iterator[tuple[str, ...]]:
    for task in paper.TASKS:
        for name in POLICIES:
            tried = of_method(record, task, name)
            found = (tried.percent, tried.spread) if tried.is_run else (NOT_RUN, "-")
            yield task, name, str(len(tried.trainings)), *found
