"""Films beside the records: of each task one success and one failure of the paper's method, for whoever has no runs."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from glam.bench.cell import Cell
from glam.bench.node import Workshop
from glam.bench.nodes import Evaluation
from glam.core.files import write_bytes
from glam.evaluation.evaluations import FILMS, SUCCESS

GRID, METHOD = "main", "glam-o"


def keep_films(name: str, cells: Sequence[Cell], workshop: Workshop, folder: Path) -> None:
    """Those of the first training in the main grid; of an evaluation that is no longer one of its cells none stay."""
    if name != GRID:
        return
    kept = folder / FILMS
    filmed = {cell.node.name: cell.node for cell in cells if _is_filmed(cell)}
    for old in kept.glob("*"):
        if old.name not in filmed:
            shutil.rmtree(old)
    for evaluation, node in filmed.items():
        if workshop.is_done(node):
            for film in _chosen(sorted((workshop.place(node) / FILMS).glob("*.mp4"))):
                write_bytes(kept / evaluation / film.name, film.read_bytes())


def _is_filmed(cell: Cell) -> bool:
    return isinstance(cell.node, Evaluation) and (cell.method, cell.seed, cell.detail) == (METHOD, 0, "")


def _chosen(films: Sequence[Path]) -> Iterator[Path]:
    for is_success in (True, False):
        yield from [film for film in films if film.stem.endswith(SUCCESS) == is_success][:1]
