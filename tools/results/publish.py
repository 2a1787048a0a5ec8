"""Copy records of `glam bench`, and some films, from a run store to the folder of published results."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from glam.bench.cell import Cell
from glam.bench.grids import find_grid
from glam.bench.records import BENCHMARK, write_record
from glam.bench.run import RunStore
from glam.core.files import read_json, write_bytes
from glam.evaluation.evaluations import FILMS, SUCCESS
from results import method, tasks

METHOD = "glam-o"
_TABLES = {tasks.GRID: tasks.write_table, method.GRID: method.write_table}
"""Grids whose record holds a table too."""


def publish(root: Path, folder: Path) -> Iterator[Path]:
    """Add every grid of a run store to the records in `folder`; yields the paths of these records."""
    store = RunStore(root)
    for path in sorted(store.records.glob("*.json")):
        name = str(read_json(path)[BENCHMARK])
        cells = find_grid(name)
        keep_films(name, cells, store, folder)
        written = write_record(name, cells, store, folder)
        if name in _TABLES:
            _TABLES[name](folder)
        yield written


def keep_films(name: str, cells: Sequence[Cell], store: RunStore, folder: Path) -> None:
    """Copy some films of the first training; films of runs that are no longer in the grid are deleted."""
    if name not in _KEPT:
        return
    kept = folder / FILMS / name
    filmed = {cell.run.name: cell.run for cell in cells if (cell.method, cell.seed) == (METHOD, 0)}
    for old in kept.glob("*"):
        if old.name not in filmed:
            shutil.rmtree(old)
    for run_name, run in filmed.items():
        if store.is_done(run):
            for film in _KEPT[name](store.folder(run)):
                write_bytes(kept / run_name / film.name, film.read_bytes())


def _success_and_failure(evaluation: Path) -> Iterator[Path]:
    films = sorted((evaluation / FILMS).glob("*.mp4"))
    for is_success in (True, False):
        yield from [film for film in films if film.stem.endswith(SUCCESS) == is_success][:1]


def _first(replay: Path) -> Iterator[Path]:
    yield from sorted(replay.glob("*.mp4"))[:1]


_KEPT: dict[str, Callable[[Path], Iterator[Path]]] = {"main": _success_and_failure, "transfer": _first}
"""By grid: which films of a run's folder."""
