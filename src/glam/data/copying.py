"""Copies of a dataset with additional features. Everything that a copy does not change comes from the source.

Notes of the recorder stay behind: a copy cannot be recorded further.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from glam.core import files
from glam.data import layout, manifest, tables
from glam.data.manifest import Manifest
from glam.data.reader import Dataset
from glam.data.tables import Statistics


@dataclass(frozen=True, eq=False)
class Copy(ABC):
    """The files of a dataset as they are in its copy."""

    source: Dataset

    def names(self) -> list[str]:
        """Files of the copy but for its manifest, `info.json` last: its presence means that all is there.

        Those of the source's manifest, or else all that lie where LeRobot looks.
        """
        if self.source.provenance:
            found = set(self.source.provenance["files"])
        else:
            # A link would copy a private file into a set meant for others.
            found = set(files.listed(self.source.root, ("meta", "data", "videos")))
        kept = found - {layout.RECORDING, layout.MANIFEST, layout.INFO}
        return [*sorted(name for name in kept if not name.endswith(files.TEMPORARY_SUFFIX)), layout.INFO]

    def content(self, name: str) -> bytes:
        """Bytes of a file that is not the source's; empty for one that is."""
        path = files.contained(self.source.root, name)
        if self.source.provenance:
            manifest.require_intact(self.source.root, name, self.source.provenance["files"][name])
        if name == layout.INFO:
            info = files.read_json(path)
            return _json(info | {"features": self._features(info["features"])})
        if name == layout.STATS:
            return _json(self._statistics(files.read_json(path)))
        if name.startswith("data/") and path.suffix == ".parquet":
            return self._data(path)
        if name.startswith(f"{layout.EPISODES_FOLDER}/") and path.suffix == ".parquet":
            return tables.parquet_bytes(self._episodes(tables.read_parquet(path)))
        return b""

    def _data(self, path: Path) -> bytes:
        """Row groups stay as they are, since readers may rely on them."""
        with tables.open_parquet(path) as file:
            columns = [name for name in tables.column_names(path, file) if self._keeps(name)]
            groups = [tables.read_groups(path, file, [group], columns) for group in range(file.num_row_groups)]
        return tables.parquet_bytes(*(self._rows(path, group) for group in groups))

    def _keeps(self, feature: str) -> bool:
        """True if the copy keeps a feature of the source."""
        del feature
        return True

    @abstractmethod
    def _features(self, known: dict[str, Any]) -> dict[str, Any]:
        """Features of the copy in their order, given the source's."""

    @abstractmethod
    def _statistics(self, known: dict[str, Any]) -> dict[str, Any]:
        """Statistics of the whole copy by feature, given the source's."""

    @abstractmethod
    def _rows(self, path: Path, rows: pa.Table) -> pa.Table:
        """Rows of the copy, given the source's columns that are kept; an error names the file `path`."""

    @abstractmethod
    def _episodes(self, table: pa.Table) -> pa.Table:
        """Episodes of the copy with their statistics, given the source's."""


def with_statistics(table: pa.Table, feature: str, statistics: Sequence[Statistics], number: pa.DataType) -> pa.Table:
    """A table of episodes with the statistics that each has of a feature; `number` is the type of one entry."""
    for name in tables.STATISTIC_NAMES:
        kind = pa.list_(pa.int64() if name == "count" else number)
        column = pa.array([values[name] for values in statistics], kind)
        table = table.append_column(f"stats/{feature}/{name}", column)
    return table


def manifest_of(source: Dataset) -> Manifest:
    """The source's manifest; for a dataset without one, what is known of it."""
    if source.provenance:
        return manifest.read(source.root)[0]
    schema, facts = source.schema, [record.facts for record in source.episodes]
    return Manifest(schema.role, list(schema.arms), list(schema.objects), {}, facts, histograms={}, files={})


def _json(value: Any) -> bytes:
    """Keys keep their order, which is that of the cameras; what is not a number stays what others wrote."""
    return (json.dumps(value, indent=1) + "\n").encode()
