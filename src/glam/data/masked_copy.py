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
from glam.data import feature_statistics, layout, manifest, tables
from glam.data.reader import Dataset
from glam.data.schema import IMAGE_PREFIX, MASK_PREFIX, Schema

Counts = NDArray[np.int64]
"""(C, 256): how often each value occurs in each channel."""


@dataclass(frozen=True, eq=False)
class EpisodeMasks:
    """Masks of one episode, as they were put aside."""

    pictures: dict[str, pa.Array]
    """PNG of each frame, by feature."""
    histograms: dict[str, Counts]
    frames: dict[str, list[int]]
    """By feature: in how many frames each object shows."""


@dataclass(frozen=True, eq=False)
class MaskedCopy:
    """Writes the copy, file by file."""

    source: Dataset
    root: Path
    schema: Schema
    episodes: tuple[EpisodeMasks, ...]

    def names(self) -> list[str]:
        """Files of the copy but for its manifest, `info.json` last: its presence means that all is there.

        Notes of a recorder stay behind: such a copy cannot be recorded further.
        """
        if self.source.provenance:
            found = set(self.source.provenance["files"])
        else:
            folders = (self.source.root / folder for folder in ("meta", "data", "videos"))
            paths = (path for folder in folders for path in folder.rglob("*") if path.is_file())
            found = {path.relative_to(self.source.root).as_posix() for path in paths}
        kept = found - {layout.RECORDING, layout.MANIFEST, layout.INFO}
        return [*sorted(name for name in kept if not name.endswith(files.TEMPORARY_SUFFIX)), layout.INFO]

    def content(self, name: str) -> bytes:
        """Bytes of a file that is not the source's; empty for one that is."""
        path = self.source.root / name
        if self.source.provenance:
            manifest.require_intact(self.source.root, name, self.source.provenance["files"][name])
        if name == layout.INFO:
            return self._info(files.read_json(path))
        if name == layout.STATS:
            kept = {key: value for key, value in files.read_json(path).items() if not key.startswith(MASK_PREFIX)}
            return _json(kept | self._statistics(self.histograms))
        if name.startswith("data/") and path.suffix == ".parquet":
            return self._rows(path)
        if name.startswith(f"{layout.EPISODES_FOLDER}/") and path.suffix == ".parquet":
            return self._episodes(path)
        return b""

    def put(self, name: str) -> str:
        """Write a file of the copy, or share the source's; returns its sha256."""
        content = self.content(name)
        if content:
            files.write_bytes(self.root / name, content)
            return sha256(content).hexdigest()
        share(self.source.root / name, self.root / name)
        return files.sha256(self.root / name)

    def digest(self, name: str) -> str:
        """The sha256 that a changed file will have."""
        return sha256(self.content(name)).hexdigest()

    @cached_property
    def histograms(self) -> dict[str, Counts]:
        """Of all episodes together, by feature."""
        return {key: np.sum([episode.histograms[key] for episode in self.episodes], axis=0) for key in self._keys}

    @property
    def _keys(self) -> tuple[str, ...]:
        return self.schema.mask_keys

    def _statistics(self, histograms: Mapping[str, Counts]) -> dict[str, feature_statistics.Statistics]:
        pixels = self.schema.image_size[0] * self.schema.image_size[1]
        return {key: feature_statistics.of_histogram(counts, pixels) for key, counts in histograms.items()}

    def _info(self, info: dict[str, Any]) -> bytes:
        """Masks come after the images, as in sets that were recorded with masks."""
        masks = {key: self.schema.features()[key] for key in self._keys}
        features: dict[str, Any] = {}
        others = {key: feature for key, feature in info["features"].items() if not key.startswith(MASK_PREFIX)}
        last_image = [key for key in others if key.startswith(IMAGE_PREFIX)][-1]
        for key, feature in others.items():
            features[key] = feature
            if key == last_image:
                features |= masks
        return _json(info | {"features": features})

    def _rows(self, path: Path) -> bytes:
        """Row groups stay as they are: whoever divided the file had readers in mind."""
        with tables.open_parquet(path) as file:
            columns = [name for name in tables.column_names(path, file) if not name.startswith(MASK_PREFIX)]
            groups = [tables.read_groups(path, file, [group], columns) for group in range(file.num_row_groups)]
        return tables.parquet_bytes(*(self._with_masks(path, group) for group in groups))

    def _with_masks(self, path: Path, rows: pa.Table) -> pa.Table:
        episodes, frames = (tables.matrix(rows[name]).tolist() for name in ("episode_index", "frame_index"))
        for key in self._keys:
            try:
                found = [self.episodes[e].pictures[key][t].as_py() for e, t in zip(episodes, frames, strict=True)]
            except IndexError:
                problem = f"has rows that belong to no episode; see glam data check {self.source.root}"
                raise GlamError(f"{path}: {problem}") from None
            empty = pa.nulls(len(found), pa.string())
            column = pa.StructArray.from_arrays([pa.array(found, pa.binary()), empty], fields=list(tables.PICTURE))
            rows = rows.append_column(key, column)
        return rows.replace_schema_metadata(_told(rows.schema.metadata or {}, self._keys))

    def _episodes(self, path: Path) -> bytes:
        table = tables.read_parquet(path)
        table = table.drop([name for name in table.column_names if name.startswith(f"stats/{MASK_PREFIX}")])
        indices = tables.matrix(table["episode_index"]).tolist()
        statistics = [self._statistics(self.episodes[index].histograms) for index in indices]
        for key in self._keys:
            for name in feature_statistics.NAMES:
                number = pa.list_(pa.int64()) if name == "count" else pa.list_(pa.list_(pa.list_(pa.float64())))
                column = pa.array([values[key][name] for values in statistics], number)
                table = table.append_column(f"stats/{key}/{name}", column)
        return tables.parquet_bytes(table)


def share(source: Path, target: Path) -> None:
    """Make `target` the same file as `source`, or a copy of it where the disk does not allow that."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)  # of an earlier try
    try:
        os.link(source, target)
    except OSError:
        files.write_bytes(target, source.read_bytes())


def _told(metadata: Mapping[bytes, bytes], keys: Iterable[str]) -> dict[bytes, bytes]:
    """What the `datasets` library is told of the rows, if anything, with the masks."""
    if b"huggingface" not in metadata:
        return dict(metadata)
    told = json.loads(metadata[b"huggingface"])
    features = told["info"]["features"]
    kept = {key: feature for key, feature in features.items() if not key.startswith(MASK_PREFIX)}
    told["info"]["features"] = kept | {key: {"_type": "Image"} for key in keys}
    return dict(metadata) | {b"huggingface": json.dumps(told).encode()}


def _json(value: Any) -> bytes:
    """Keys keep their order, which is that of the cameras."""
    return (json.dumps(value, indent=1) + "\n").encode()
