"""Reading LeRobotDataset v3.0: ours, and anyone's whose features fit the schema.

Nothing is returned unchecked. Files of the manifest are hashed before use; rows must carry the right indices, and
every video frame the right time.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from glam.core import files
from glam.core.errors import GlamError, UnknownNameError
from glam.data import layout, manifest, tables
from glam.data.dataset_info import read_info, schema_of
from glam.data.episode_locations import EpisodeLocation, read_episodes
from glam.data.image_codecs import TIME_TOLERANCE, decode_image, decode_span
from glam.data.schema import INDEX_FEATURES, Episode, Schema


def read_rows(record: EpisodeLocation, columns: list[str], fps: int) -> pa.Table:
    """Some columns of an episode, beside those of the automatic features."""
    path = record.data_file
    with tables.open_parquet(path) as file:
        groups, before = _groups(file, record.file_row, record.length)
        table = tables.read_groups(path, file, groups, [*INDEX_FEATURES, *columns])
    rows = table.slice(record.file_row - before, record.length)
    _require_own(record, rows, fps)
    return rows


def vectors_in(record: EpisodeLocation, rows: pa.Table, key: str, size: int) -> NDArray[Any]:
    """(T, n) of a column of numbers."""
    values = _numbers(record, rows, key).reshape(len(rows), -1)
    if values.shape[1] != size or values.dtype.kind not in "fiu":
        found = f"{values.shape[1]} entries of {values.dtype}"
        raise GlamError(f"{record.data_file}: episode {record.index}: {key} has {found} instead of {size} numbers")
    return values


def image_in(record: EpisodeLocation, cells: list[Any], frame: int, key: str) -> NDArray[np.uint8]:
    """(Y, X, C) of one cell of a column of images."""
    where, cell = f"{record.data_file}: episode {record.index}, frame {frame}: {key}", cells[frame]
    if not isinstance(cell, dict) or not isinstance(cell.get("bytes"), bytes):
        raise GlamError(f"{where} holds no image")
    try:
        return decode_image(cell["bytes"])
    except GlamError as error:
        raise GlamError(f"{where}: {error}") from None


def _groups(file: Any, first: int, count: int) -> tuple[list[int], int]:
    """The row groups that hold rows first .. first + count - 1, and how many rows come before them."""
    ends = np.cumsum([file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)])
    starts = ends - np.diff(ends, prepend=0)
    groups = np.flatnonzero((ends > first) & (starts < first + count))
    return groups.tolist(), int(starts[groups[0]]) if len(groups) else 0


def _numbers(record: EpisodeLocation, rows: pa.Table, key: str) -> NDArray[Any]:
    try:
        return tables.matrix(rows[key])
    except GlamError as error:
        raise GlamError(f"{record.data_file}: episode {record.index}: {key} has {error}") from None


def _require_own(record: EpisodeLocation, rows: pa.Table, fps: int) -> None:
    """Rows of this episode, all of them, in order."""
    where = f"{record.data_file}: episode {record.index}"
    if len(rows) != record.length:
        raise GlamError(f"{where}: {len(rows)} of {record.length} rows; restore the file from a copy")
    frame = np.arange(record.length)
    expected = {"index": frame + record.first_row, "frame_index": frame, "episode_index": 0 * frame + record.index}
    for key, values in expected.items():
        found = _numbers(record, rows, key)
        for wrong in np.flatnonzero(found != values):
            raise GlamError(f"{where}, frame {wrong}: {key} is {found[wrong]} instead of {values[wrong]}")
    times = _numbers(record, rows, "timestamp")
    # LeRobot's tolerance, or what single precision loses in a long episode.
    tolerance = max(TIME_TOLERANCE, float(np.spacing(np.float32(record.length / fps))))
    for late in np.flatnonzero(~(np.abs(times - frame / fps) <= tolerance)):
        raise GlamError(f"{where}, frame {late}: timestamp is {times[late]} s instead of {late / fps} s")
    if not set(_numbers(record, rows, "task_index").tolist()) <= record.task_indices:
        raise GlamError(f"{where}: task_index is not that of its task {record.task!r}")


@dataclass(frozen=True)
class Dataset:
    """A dataset on disk; nothing but its description is held in memory."""

    root: Path
    schema: Schema
    episodes: tuple[EpisodeLocation, ...]
    provenance: dict[str, Any]
    """Content of `meta/glam.json`; empty for a set that others made."""

    @classmethod
    def open(cls, root: Path) -> "Dataset":
        """Open a published dataset."""
        info = read_info(root)
        provenance = _provenance(root)
        try:
            arms, objects = (tuple(provenance.get(key, ())) for key in ("arms", "objects"))
            schema = schema_of(info.features, info.fps, arms, objects)
        except GlamError as error:
            raise GlamError(f"{root}: {error}") from None
        if provenance and provenance["role"] != schema.role:
            problem = f"but {layout.INFO} has the features of a {schema.role} set"
            raise GlamError(f"{root / layout.MANIFEST}: the set is declared {provenance['role']}, {problem}")
        videos = [key for key in schema.image_keys if info.features[key].dtype == "video"]
        episodes = read_episodes(root, info, videos)
        if provenance:
            facts = provenance["facts"]
            episodes = tuple(replace(record, facts=facts[record.index]) for record in episodes)
        return cls(root, schema, episodes, provenance)

    @property
    def task(self) -> str:
        """Task that its description names, such as `stack-two`; empty where there is none."""
        return str(self.provenance.get("description", {}).get("task", ""))

    def __len__(self) -> int:
        """Number of frames in all episodes, which lie one after the other."""
        return self.episodes[-1].first_row + self.episodes[-1].length if self.episodes else 0

    def vectors(self, index: int) -> dict[str, NDArray[np.float32]]:
        """(T, n) of each low-dimensional feature of an episode."""
        record = self.episodes[index]
        rows = self._rows(record, tuple(self.schema.vectors))
        wanted = self.schema.vectors.items()
        return {key: vectors_in(record, rows, key, len(names)).astype(np.float32) for key, names in wanted}

    def images(self, index: int, key: str) -> NDArray[np.uint8]:
        """(T, Y, X, 3) of a camera in an episode."""
        record = self.episodes[index]
        if key not in self.schema.image_keys:
            raise UnknownNameError("camera", key, self.schema.image_keys)
        if key not in record.videos:
            return self._images(record, key, 3)
        span = record.videos[key]
        self._require_intact(span.path)
        frames = decode_span(span, self.schema.fps)
        if frames.shape[1:3] != self.schema.image_size:
            size = f"{frames.shape[1]}x{frames.shape[2]}"
            raise GlamError(f"{span.path}: frames of {size} pixels; {layout.INFO} says {self.schema.image_size}")
        return frames

    def masks(self, index: int, key: str) -> NDArray[np.uint8]:
        """(T, Y, X, C) of a camera's object masks in an episode."""
        if key not in self.schema.mask_keys:
            raise UnknownNameError("mask", key, self.schema.mask_keys)
        return self._images(self.episodes[index], key, len(self.schema.objects))

    def episode(self, index: int) -> Episode:
        """All of an episode."""
        return Episode(
            vectors=self.vectors(index),
            images={key: self.images(index, key) for key in self.schema.image_keys},
            masks={key: self.masks(index, key) for key in self.schema.mask_keys},
            task=self.episodes[index].task,
        )

    @cached_property
    def content_id(self) -> str:
        """Identity of what reading gives: the same for equal files."""
        return self.provenance["sha256"] if self.provenance else _content_digest(self.root)

    def _require_intact(self, path: Path) -> None:
        name = path.relative_to(self.root).as_posix()
        if self.provenance:
            manifest.require_intact(self.root, name, self.provenance["files"].get(name, "not recorded"))

    def _rows(self, record: EpisodeLocation, keys: tuple[str, ...]) -> pa.Table:
        """The rows of an episode, with features `keys`, checked to be its own."""
        self._require_intact(record.data_file)
        return read_rows(record, list(keys), self.schema.fps)

    def _images(self, record: EpisodeLocation, key: str, channels: int) -> NDArray[np.uint8]:
        cells = self._rows(record, (key,))[key].to_pylist()
        expected = (*self.schema.image_size, channels)
        images = np.empty((len(cells), *expected), np.uint8)
        for frame in range(len(cells)):
            image = image_in(record, cells, frame, key)
            if image.shape != expected:
                where = f"{record.data_file}: episode {record.index}, frame {frame}: {key}"
                raise GlamError(f"{where} has shape {image.shape} instead of {expected}")
            images[frame] = image
        return images


def _provenance(root: Path) -> dict[str, Any]:
    """The manifest of a set of ours, its descriptive files checked; empty when there is none."""
    if not (root / layout.MANIFEST).exists():
        return {}
    content, own_digest = manifest.read(root)
    for name, expected in content.files.items():
        if name.startswith("meta/"):
            manifest.require_intact(root, name, expected)
    return vars(content) | {"sha256": own_digest}


def _content_files(root: Path) -> Iterator[str]:
    """Files that a LeRobot reader would read."""
    patterns = ("data/**/*.parquet", "videos/**/*.mp4", f"{layout.EPISODES_FOLDER}/**/*.parquet")
    for pattern in patterns:
        yield from (path.relative_to(root).as_posix() for path in root.glob(pattern))
    yield from (name for name in (layout.INFO, layout.TASKS) if files.contained(root, name).exists())


def _content_digest(root: Path) -> str:
    lines = [f"{files.sha256(files.contained(root, name))} {name}" for name in sorted(_content_files(root))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
