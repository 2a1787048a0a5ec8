"""Films beside the records, for whoever has no runs: tests of the paper's method, and replays of every source."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from glam.bench.cell import Cell
from glam.bench.node import Workshop
from glam.core.files import write_bytes
from glam.evaluation.evaluations import FILMS, SUCCESS

METHOD = "glam-o"


def keep_films(name: str, cells: Sequence[Cell], workshop: Workshop, folder: Path) -> None:
    """Some of the first training's films; of a run that is no longer one of the grid's cells none stay."""
    if name not in _KEPT:
        return
    kept = folder / FILMS / name
    filmed = {cell.node.name: cell.node for cell in cells if (cell.method, cell.seed) == (METHOD, 0)}
    for old in kept.glob("*"):
        if old.name not in filmed:
            shutil.rmtree(old)
    for run, node in filmed.items():
        if workshop.is_done(node):
            for film in _KEPT[name](workshop.place(node)):
                if not (kept / run / film.name).exists():  # asked whenever a run is done, and few are new
                    write_bytes(kept / run / film.name, film.read_bytes())


def _success_and_failure(evaluation: Path) -> Iterator[Path]:
    films = sorted((evaluation / FILMS).glob("*.mp4"))
    for is_success in (True, False):
        yield from [film for film in films if film.stem.endswith(SUCCESS) == is_success][:1]


def _first(replay: Path) -> Iterator[Path]:
    yield from sorted(replay.glob("*.mp4"))[:1]


_KEPT: dict[str, Callable[[Path], Iterator[Path]]] = {"main": _success_and_failure, "transfer": _first}
"""By grid: which films of a run's folder."""
