"""Content that publication gathers from the episodes of a recording, in their order, before it describes the whole."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from glam.data import tables
from glam.data.schema import Schema

_PACKED = 256
"""Rows of the table of episodes that are packed together."""


@dataclass
class Assembly:
    """Content gathered from the episodes so far, in their order."""

    schema: Schema
    count: int = 0
    frames: int = 0
    rows: list[dict[str, Any]] = field(default_factory=list)
    """Of the table of episodes: the last few. Statistics take much more memory as Python numbers than as a table."""
    packed: list[pa.Table] = field(default_factory=list)
    """The rows before these."""
    tasks: dict[str, int] = field(default_factory=dict)
    numbers: dict[str, list[NDArray[Any]]] = field(default_factory=dict)
    histograms: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    facts: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)

    def add_row(self, row: dict[str, Any]) -> None:
        """Add a row of the table of episodes."""
        self.rows.append(row)
        self.count, self.frames = self.count + 1, int(row["dataset_to_index"])
        if len(self.rows) == _PACKED:
            self._pack()

    def table(self) -> pa.Table:
        """The table of episodes."""
        self._pack()
        return pa.concat_tables(self.packed).combine_chunks()

    def _pack(self) -> None:
        self.packed.append(tables.episodes_table(self.schema, self.rows))
        self.rows = []

    def task_index(self, task: str) -> int:
        """Number of a task."""
        return self.tasks.setdefault(task, len(self.tasks))

    def add_numbers(self, table: pa.Table) -> dict[str, NDArray[Any]]:
        """Keep the numbers of an episode; returns them."""
        numbers = tables.numbers(table)
        for key, values in numbers.items():
            self.numbers.setdefault(key, []).append(values)
        return numbers
