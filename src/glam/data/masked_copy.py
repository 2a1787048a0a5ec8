"""The files of a dataset as they are in its copy with masks.

All but the masks is the source's: videos are the same file where the disk allows, and else the same bytes.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from glam.core import files
from glam.core.errors import GlamError
from glam.data import tables
from glam.data.copying import Copy, with_statistics
from glam.data.schema import IMAGE_PREFIX, MASK_PREFIX, Schema
from glam.data.tables import histogram_statistics

Counts = NDArray[np.int64]
"""(C, 256): how often each value occurs in each channel."""


@dataclass(frozen=True, eq=False)
class EpisodeMasks:
    """Masks of one episode, as they were put aside."""

    images: dict[str, pa.Array]
    """PNG of each frame, by feature."""
    histograms: dict[str, Counts]
    frames: dict[str, list[int]]
    """By feature: in how many frames each object shows."""


@dataclass(frozen=True, eq=False)
class MaskedCopy(Copy):
    """Writes the copy, file by file."""

    root: Path
    schema: Schema
    episodes: tuple[EpisodeMasks, ...]

    def put(self, name: str) -> str:
        """Write a file of the copy, or share the source's; returns its sha256."""
        content = self.content(name)
        path = files.contained(self.root, name)
        if content:
            files.write_bytes(path, content)
            return sha256(content).hexdigest()
        share(files.contained(self.source.root, name), path)
        return files.sha256(path)

    def digest(self, name: str) -> str:
        """The sha256 that a changed file will have."""
        return sha256(self.content(name)).hexdigest()

    @cached_property
    def histograms(self) -> dict[str, Counts]:
        """Histograms of all episodes together, by feature."""
        return {key: np.sum([episode.histograms[key] for episode in self.episodes], axis=0) for key in self._keys}

    @property
    def _keys(self) -> tuple[str, ...]:
        return self.schema.mask_keys

    def _keeps(self, feature: str) -> bool:
        return not feature.startswith(MASK_PREFIX)

    def _kept(self, known: Mapping[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in known.items() if self._keeps(key)}

    def _features(self, known: dict[str, Any]) -> dict[str, Any]:
        """Masks come after the images, as in sets that were recorded with masks."""
        masks = {key: self.schema.features()[key] for key in self._keys}
        features: dict[str, Any] = {}
        others = self._kept(known)
        last_image = [key for key in others if key.startswith(IMAGE_PREFIX)][-1]
        for key, feature in others.items():
            features[key] = feature
            if key == last_image:
                features |= masks
        return features

    def _statistics(self, known: dict[str, Any]) -> dict[str, Any]:
        return self._kept(known) | histogram_statistics(self.histograms, self.schema.image_size)

    def _rows(self, path: Path, rows: pa.Table) -> pa.Table:
        episodes, frames = (tables.matrix(rows[name]).tolist() for name in ("episode_index", "frame_index"))
        for key in self._keys:
            try:
                found = [self.episodes[e].images[key][t].as_py() for e, t in zip(episodes, frames, strict=True)]
            except IndexError:
                problem = f"has rows that belong to no episode; see glam data check {self.source.root}"
                raise GlamError(f"{path}: {problem}") from None
            empty = pa.nulls(len(found), pa.string())
            column = pa.StructArray.from_arrays([pa.array(found, pa.binary()), empty], fields=list(tables.IMAGE))
            rows = rows.append_column(key, column)
        return rows.replace_schema_metadata(_with_masks(rows.schema.metadata or {}, self._keys))

    def _episodes(self, table: pa.Table) -> pa.Table:
        table = table.drop([name for name in table.column_names if name.startswith(f"stats/{MASK_PREFIX}")])
        indices = tables.matrix(table["episode_index"]).tolist()
        statistics = [
            histogram_statistics(self.episodes[index].histograms, self.schema.image_size) for index in indices
        ]
        for key in self._keys:
            number = pa.list_(pa.list_(pa.float64()))  # one for each channel, row and column
            table = with_statistics(table, key, [values[key] for values in statistics], number)
        return table


def share(source: Path, target: Path) -> None:
    """Make `target` the same file as `source`, or a copy of it where the disk does not allow that."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)  # of an earlier try
    try:
        os.link(source, target)
    except OSError:
        files.write_bytes(target, source.read_bytes())


def _with_masks(metadata: Mapping[bytes, bytes], keys: Iterable[str]) -> dict[bytes, bytes]:
    """Schema metadata for the `datasets` library, if there is any, with the mask features added."""
    if b"huggingface" not in metadata:
        return dict(metadata)
    described = json.loads(metadata[b"huggingface"])
    features = described["info"]["features"]
    kept = {key: feature for key, feature in features.items() if not key.startswith(MASK_PREFIX)}
    described["info"]["features"] = kept | {key: {"_type": "Image"} for key in keys}
    return dict(metadata) | {b"huggingface": json.dumps(described).encode()}
