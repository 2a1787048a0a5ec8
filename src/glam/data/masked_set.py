"""A copy of a dataset with object masks: episode after episode is put aside, and published when all are there.

    with masked.making():
        for index in masked.missing():
            masked.save(index, masks)
        masked.publish()

The source is never touched. Whatever the interruptions, the published files are the same bytes.
"""

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from glam.data.image_codecs import encode_image
from glam.data.masked_copy import EpisodeMasks, MaskedCopy
from glam.data.reader import Dataset
from glam.data.schema import MASK_PREFIX
from glam.data.unfinished_copy import UnfinishedCopy, require_apart

Masks = NDArray[np.uint8]
"""(T, Y, X, C), 0 and 255."""

DESCRIPTION = "masks"
"""Entry of the description in the manifest."""


@dataclass(frozen=True)
class MaskedSet(UnfinishedCopy):
    """A copy in the making, or finished."""

    words: ClassVar[str] = "masks"

    @classmethod
    def of(cls, source: Dataset, root: Path, objects: Sequence[str], notes: Mapping[str, Any]) -> "MaskedSet":
        """The copy of `source` in `root` with masks of `objects`."""
        require_apart(source.root, root)
        schema = replace(source.schema, objects=tuple(objects))
        return cls(source, root, schema, {"source": source.content_id, "objects": list(objects), **to_json(notes)})

    def save(self, index: int, masks: Mapping[str, Masks]) -> None:
        """Put the masks of an episode aside, durably; by feature, such as `observation.masks.front`."""
        expected = (self.source.episodes[index].length, *self.schema.image_size, len(self.schema.objects))
        for key in self.schema.mask_keys:
            assert masks[key].shape == expected, (key, masks[key].shape, expected)
        columns = {key: pa.array([encode_image(mask) for mask in masks[key]]) for key in self.schema.mask_keys}
        counts = {key: tables.histogram(masks[key]).tolist() for key in self.schema.mask_keys}
        frames = {key: masks[key].any(axis=(1, 2)).sum(0).tolist() for key in self.schema.mask_keys}
        metadata = {"histograms": json.dumps(counts), "frames": json.dumps(frames)}
        table = pa.table(columns, metadata=metadata)
        sealed = table.replace_schema_metadata(metadata | {"sha256": _digest(table)})
        files.write_bytes(self._aside(index), tables.parquet_bytes(sealed))

    def publish(self, progress: Progress = no_progress) -> None:
        """Make the dataset, masks of all episodes being there; `progress` counts files."""
        if not self.is_published:
            episodes = tuple(self._read(record.index) for record in self.source.episodes)
            copy = MaskedCopy(self.source, self.root, self.schema, episodes)
            notes = files.contained(self.root, self.notes_file())
            digests, names = {self.notes_file(): files.sha256(notes)}, copy.names()
            for folder in {files.contained(self.root, name).parent for name in names}:
                files.sweep(folder)
            for done, name in enumerate(names, start=1):
                if name == layout.INFO:
                    self._seal(copy, digests)
                digests[name] = copy.put(name)
                progress(done, len(names))
        shutil.rmtree(files.contained(self.root, self.folder_aside()), ignore_errors=True)

    def hidden_objects(self) -> list[tuple[int, str, str]]:
        """Episode, camera and name of every object of the published set that no frame of them shows."""
        frames = manifest.read(self.root)[0].description[DESCRIPTION]["frames"]
        return [
            (index, key.removeprefix(MASK_PREFIX), name)
            for key in self.schema.mask_keys
            for index, counts in enumerate(frames[key])
            for name, count in zip(self.schema.objects, counts, strict=True)
            if count == 0
        ]

    def _read(self, index: int) -> EpisodeMasks:
        path, length = self._aside(index), self.source.episodes[index].length
        table = tables.read_parquet(path)
        metadata = table.schema.metadata or {}
        if len(table) != length or set(table.column_names) != set(self.schema.mask_keys):
            raise GlamError(f"{path}: not the masks of this episode; delete it, and run the same command again")
        try:
            if metadata[b"sha256"].decode("ascii", "replace") != _digest(table):
                raise ValueError("another digest")
            counts, frames = (json.loads(metadata[name]) for name in (b"histograms", b"frames"))
        except (KeyError, ValueError):
            raise GlamError(f"{path}: damaged; delete it, and run the same command again") from None
        images = {key: table[key].combine_chunks() for key in self.schema.mask_keys}
        return EpisodeMasks(images, {key: np.array(values) for key, values in counts.items()}, frames)

    def _seal(self, copy: MaskedCopy, digests: dict[str, str]) -> None:
        """Write the manifest, which vouches for everything; `info.json` follows at once."""
        old = manifest_of(self.source)
        frames = {key: [episode.frames[key] for episode in copy.episodes] for key in self.schema.mask_keys}
        kept = {key: lines for key, lines in old.histograms.items() if not key.startswith(MASK_PREFIX)}
        lines = {key: tables.histogram_lines(counts) for key, counts in copy.histograms.items()}
        sealed = replace(
            old,
            objects=list(self.schema.objects),
            description=old.description | {DESCRIPTION: self.notes | {"frames": frames}},
            histograms=kept | lines,
            files=digests | {layout.INFO: copy.digest(layout.INFO)},
        )
        manifest.write(self.root, sealed)


def _digest(table: pa.Table) -> str:
    """Digest of the masks of an episode and of what is noted of them."""
    metadata = table.schema.metadata or {}
    content = hashlib.sha256(metadata.get(b"histograms", b"") + metadata.get(b"frames", b""))
    for key in sorted(table.column_names):
        for image in table[key].to_pylist():
            content.update(image or b"")
    return content.hexdigest()
