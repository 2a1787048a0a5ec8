"""Records of `glam bench` in a report: for each grid a table of success by task and method."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glam.core.errors import GlamError
from glam.core.files import read_json
from glam.reports.markup import Html
from glam.reports.page import card, note, table
from glam.statistics.intervals import wilson

_COLUMNS = ("task", "method", "detail", "what", "trainings", "successes", "rate", "95 % interval")
_WORDS = "All trainings of a cell together. Intervals are Wilson intervals and ignore run-to-run variation."
_COUNTED = {"evaluation": "trials", "replay": "replays"}
"""Kinds of runs that have successes, and the word for them."""


@dataclass(frozen=True)
class GridTable:
    """One grid as a table."""

    name: str
    rows: tuple[tuple[str, ...], ...]


def is_benchmark(folder: Path) -> bool:
    """Tell whether a folder holds records of `glam bench`."""
    return any(True for _ in _records(folder))


def read_benchmarks(folder: Path) -> Iterator[GridTable]:
    """Read all records of a folder."""
    for path, record in _records(folder):
        try:
            yield GridTable(str(record["benchmark"]), tuple(_rows(record)))
        except (KeyError, TypeError, AttributeError) as error:
            raise GlamError(f"{path}: not a record of glam bench ({error!r}); run `glam bench` again") from None


def benchmark_parts(grid: GridTable) -> Iterator[Html]:
    """The table of a grid."""
    yield card(table(_COLUMNS, grid.rows), note(_WORDS))


def _records(folder: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for path in sorted(folder.glob("*.json")):
        with suppress(GlamError):  # other files may be anything
            record = read_json(path)
            if isinstance(record, dict) and {"benchmark", "cells", "runs"} <= record.keys():
                yield path, record


def _rows(record: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    results = {(run["kind"], run["name"]): run["result"] for run in record["runs"]}
    cells: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for cell in record["cells"]:
        if cell["kind"] in _COUNTED:
            key = (cell["task"], cell["method"], cell["detail"], cell["kind"])
            cells.setdefault(key, []).append((cell["kind"], cell["run"]))
    for (task, method, detail, kind), runs in cells.items():
        done = [results[run] for run in runs if run in results]
        trainings = f"{len(done)} of {len(runs)}"
        yield (task, method, detail, _COUNTED[kind], trainings, *_success([_counts(kind, one) for one in done]))


def _counts(kind: str, result: Mapping[str, Any]) -> tuple[int, int]:
    found = result["summary"] if kind == "replay" else result
    return int(found["successes"]), int(found["episodes"])


def _success(counts: Sequence[tuple[int, int]]) -> tuple[str, str, str]:
    successes, episodes = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
    if not episodes:
        return "not run", "-", "-"
    rate = wilson(successes, episodes)
    return (
        f"{successes} of {episodes}",
        f"{100 * rate.estimate:.1f} %",
        f"{100 * rate.low:.1f} to {100 * rate.high:.1f} %",
    )
