"""What a benchmark found out, in one file that stands for itself."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from glam.bench.node import Node, Workshop, ordered
from glam.core.files import read_json, write_json

CELLS = "runs"


def write(name: str, cells: Sequence[Node], workshop: Workshop, folder: Path) -> Path:
    """All notes of a grid so far; what else the file says, such as speeds measured by hand, stays."""
    path = folder / f"{name.replace('-', '_')}.json"
    notes = [read_json(workshop.note(node)) for node in ordered(cells) if workshop.is_done(node)]
    record: dict[str, Any] = read_json(path) if path.exists() else {}
    write_json(path, record | {"benchmark": name, CELLS: notes})
    return path
