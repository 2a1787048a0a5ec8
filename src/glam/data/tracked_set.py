"""A copy of a dataset with fingertip tracks; it is made as the one with masks.

with tracked.making():
    for index in tracked.missing():
        tracked.save(index, tracks)
    tracked.publish()
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from glam.core import files
from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.core.workers import Progress, no_progress
from glam.data import layout, manifest, tables
from glam.data.copying import manifest_of
from glam.data.masked_copy import share
from glam.data.reader import Dataset
from glam.data.tracks import EE_TRACKS
from glam.data.unfinished_copy import UnfinishedCopy, require_apart
from glam.data.vector_copy import VectorCopy

DESCRIPTION = "tracks"
"""Entry of the description in the manifest."""
_COLUMN = "tracks"


@dataclass(frozen=True)
class TrackedSet(UnfinishedCopy):
    """A copy in the making, or finished."""

    words: ClassVar[str] = "tracks"

    @classmethod
    def of(cls, source: Dataset, root: Path, cameras: Sequence[str], notes: Mapping[str, Any]) -> "TrackedSet":
        """The copy of `source` in `root` with tracks in `cameras`."""
        require_apart(source.root, root)
        schema = replace(source.schema, track_cameras=tuple(cameras))
        return cls(source, root, schema, {"source": source.content_id, "cameras": list(cameras), **to_json(notes)})

    def save(self, index: int, tracks: NDArray[np.float32]) -> None:
        """Put the tracks (T, 3 P) of an episode aside, durably."""
        expected = self.source.episodes[index].length, len(self.schema.track_names)
        assert tracks.shape == expected, (tracks.shape, expected)
        column = pa.FixedSizeListArray.from_arrays(pa.array(tracks.reshape(-1)), expected[1])
        files.write_bytes(self._aside(index), tables.parquet_bytes(pa.table({_COLUMN: column})))

    def publish(self, progress: Progress = no_progress) -> None:
        """Make the dataset, tracks of all episodes being there; `progress` counts files."""
        if not self.is_published:
            values = np.concatenate([self._read(record.index) for record in self.source.episodes])
            copy = VectorCopy(self.source, EE_TRACKS, self.schema.track_names, values)
            notes = files.contained(self.root, self.notes_file())
            digests, names = {self.notes_file(): files.sha256(notes)}, copy.names()
            for folder in {files.contained(self.root, name).parent for name in names}:
                files.sweep(folder)
            for done, name in enumerate(names, start=1):
                if name == layout.INFO:
                    self._seal(copy, digests)
                digests[name] = self._put(copy, name)
                progress(done, len(names))
        shutil.rmtree(files.contained(self.root, self.folder_aside()), ignore_errors=True)

    def _put(self, copy: VectorCopy, name: str) -> str:
        """Write a file of the copy, or share the source's; returns its sha256."""
        content, path = copy.content(name), files.contained(self.root, name)
        if content:
            files.write_bytes(path, content)
            return sha256(content).hexdigest()
        share(files.contained(self.source.root, name), path)
        return files.sha256(path)

    def _read(self, index: int) -> NDArray[np.float32]:
        path = self._aside(index)
        values = tables.matrix(tables.read_parquet(path)[_COLUMN])
        if values.shape != (self.source.episodes[index].length, len(self.schema.track_names)):
            raise GlamError(f"{path}: not the tracks of this episode; delete it, and run the same command again")
        return values.astype(np.float32)

    def _seal(self, copy: VectorCopy, digests: dict[str, str]) -> None:
        """Write the manifest, which vouches for everything; `info.json` follows at once."""
        old = manifest_of(self.source)
        sealed = replace(
            old,
            description=old.description | {DESCRIPTION: self.notes},
            files=digests | {layout.INFO: sha256(copy.content(layout.INFO)).hexdigest()},
        )
        manifest.write(self.root, sealed)
