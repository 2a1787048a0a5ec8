"""LeRobot dataset as it is, v3.0, v2.1 or v2.0: numbers and videos of its episodes, by its own feature names."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.data import layout, manifest, tables
from glam.data.dataset_info import DatasetInfo, delta_actions_in
from glam.data.episode_locations import EpisodeLocation
from glam.data.image_codecs import frames_of
from glam.data.reader import image_in, read_rows, vectors_in
from glam.data.schema import ACTION, LARGEST_VALUE
from glam.interop.imports.recordings import FrameSequence
from glam.interop.lerobot.entries import Entry, Features, features_of
from glam.interop.lerobot.older_versions import read_any_episodes, read_any_info

Array = NDArray[np.float64]
Images = NDArray[np.uint8]

_AT_ONCE = 32
"""Frames of a video that are held at once."""


@dataclass(frozen=True, eq=False)
class LeRobotSource:
    """Open dataset; one with a manifest of ours is checked against it."""

    root: Path
    info: DatasetInfo
    features: Features
    objects: tuple[str, ...]
    """Channels of the masks, where the set is ours and has any."""
    delta_actions: tuple[str, ...] = ()
    """Entries of its own `action` that the dataset declares to be deltas."""
    digests: dict[str, str] = field(default_factory=dict)

    @classmethod
    def open(cls, root: Path) -> "LeRobotSource":
        """Read the metadata of a dataset."""
        info = read_any_info(root)
        features = features_of(info.features)
        delta_actions = delta_actions_in(info.features[ACTION]) if ACTION in info.features else ()
        if not (root / layout.MANIFEST).exists():
            return cls(root, info, features, (), delta_actions)
        content, _ = manifest.read(root)
        return cls(root, info, features, tuple(content.objects), delta_actions, content.files)

    def episodes(self, images: Collection[str]) -> tuple[EpisodeLocation, ...]:
        """Locations of the episodes, with their videos of some features."""
        videos = [name for name in dict.fromkeys(images) if self.features.images[name].dtype == "video"]
        return read_any_episodes(self.root, self.info, videos)

    def numbers(self, record: EpisodeLocation, entries: Collection[Entry]) -> dict[Entry, Array]:
        """(T,) of each of some entries in an episode; every number is finite."""
        names = list(dict.fromkeys(entry.feature for entry in entries))
        rows = self._rows(record, names)
        columns = {
            name: vectors_in(record, rows, name, len(self.features.vectors[name].entries)).astype(np.float64)
            for name in names
        }
        for name, values in columns.items():
            wrong = np.argwhere(~np.isfinite(values))
            if len(wrong):
                where = f"{record.data_file}: episode {record.index}, frame {wrong[0, 0]}"
                raise GlamError(f"{where}: {name} is {values[tuple(wrong[0])]}; every number must be finite")
        wanted = {entry: columns[entry.feature][:, entry.number] for entry in entries}
        for entry, column in wanted.items():
            frame = int(np.abs(column).argmax())
            if abs(column[frame]) > LARGEST_VALUE:
                where = f"{record.data_file}: episode {record.index}, frame {frame}: {entry.feature}"
                raise GlamError(f"{where} is {column[frame]:g}; at most {LARGEST_VALUE:g} is believed")
        return wanted

    def flags(self, record: EpisodeLocation, name: str) -> Array:
        """(T, n) of a feature of truth values or numbers in an episode."""
        return tables.matrix(self._rows(record, [name])[name]).reshape(record.length, -1).astype(np.float64)

    def frames(self, record: EpisodeLocation, name: str) -> FrameSequence:
        """Frames of an image feature in an episode."""
        height, width, channels = self.features.images[name].image_shape
        pieces = partial(self._pieces, record, name, (height, width, channels))
        return FrameSequence(name, np.arange(record.length) / self.info.fps, (height, width), pieces, channels)

    def _pieces(
        self, record: EpisodeLocation, name: str, expected: tuple[int, ...], first: int, last: int
    ) -> Iterator[Images]:
        frames = islice(self._frames(record, name), first, last)
        while piece := list(islice(frames, _AT_ONCE)):
            for frame in piece:
                if frame.shape != expected:
                    where = f"{self.root}: episode {record.index}: {name}"
                    raise GlamError(f"{where} has images of shape {frame.shape}; {layout.INFO} says {expected}")
            yield np.stack(piece)

    def _frames(self, record: EpisodeLocation, name: str) -> Iterator[Images]:
        if name in record.videos:
            self._require_intact(record.videos[name].path)
            yield from frames_of(record.videos[name], self.info.fps)
        else:
            cells = self._rows(record, [name])[name].to_pylist()
            yield from (image_in(record, cells, frame, name) for frame in range(len(cells)))

    def _rows(self, record: EpisodeLocation, names: list[str]) -> pa.Table:
        self._require_intact(record.data_file)
        return read_rows(record, names, self.info.fps)

    def _require_intact(self, path: Path) -> None:
        name = path.relative_to(self.root).as_posix()
        if self.digests:
            manifest.require_intact(self.root, name, self.digests.get(name, "not recorded"))
