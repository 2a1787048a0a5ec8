"""The files of a dataset as they are in its copy with one more vector, such as latent actions or fingertip tracks."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.data import tables
from glam.data.copying import Copy, with_statistics


@dataclass(frozen=True, eq=False)
class VectorCopy(Copy):
    """The copy; a feature of the same name is replaced."""

    key: str
    """Name of the feature."""
    entries: tuple[str, ...]
    """Names of its entries."""
    values: NDArray[np.float32]
    """(N, n)."""

    def _keeps(self, feature: str) -> bool:
        return feature != self.key

    def _features(self, known: dict[str, Any]) -> dict[str, Any]:
        others = {key: value for key, value in known.items() if key != self.key}
        return others | {self.key: {"dtype": "float32", "shape": [len(self.entries)], "names": list(self.entries)}}

    def _statistics(self, known: dict[str, Any]) -> dict[str, Any]:
        return known | {self.key: tables.row_statistics(self.values)}

    def _rows(self, path: Path, rows: pa.Table) -> pa.Table:
        index = tables.matrix(rows["index"])
        if len(index) and not 0 <= index.min() <= index.max() < len(self.values):
            raise GlamError(f"{path}: has rows that belong to no episode; see glam data check {self.source.root}")
        return tables.with_vector(rows, self.key, self.values[index])

    def _episodes(self, table: pa.Table) -> pa.Table:
        table = table.drop([name for name in table.column_names if name.startswith(f"stats/{self.key}/")])
        records = [self.source.episodes[index] for index in tables.matrix(table["episode_index"]).tolist()]
        spans = [self.values[record.first_row : record.first_row + record.length] for record in records]
        return with_statistics(table, self.key, [tables.row_statistics(span) for span in spans], pa.float64())
