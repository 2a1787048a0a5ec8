"""A copy of a dataset with object masks: episode after episode is put aside, and published when all are there.

    with masked.making():
        for index in masked.missing():
            masked.save(index, masks)
        masked.publish()

The source is never touched. Whatever the interruptions, the published files are the same bytes.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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
from glam.data.schema import MASK_PREFIX, Schema

Masks = NDArray[np.uint8]
"""(T, Y, X, C), 0 and 255."""

NOTES = "meta/masks.json"
"""Settings of the masks; a later run compares them with its own."""
ASIDE = "meta/masks"
"""Masks of episodes until the set is published."""
DESCRIPTION = "masks"
"""Entry of the description in the manifest."""


@dataclass(frozen=True)
class MaskedSet:
    """A copy in the making, or finished."""

    source: Dataset
    root: Path
    schema: Schema
    """The source's with the objects of the masks."""
    notes: dict[str, Any]
    """Everything that shapes the masks, as plain JSON."""

    @classmethod
    def of(cls, source: Dataset, root: Path, objects: Sequence[str], notes: Mapping[str, Any]) -> "MaskedSet":
        """The copy of `source` in `root` with masks of `objects`."""
        here, there = root.resolve(), source.root.resolve()
        if here.is_relative_to(there) or there.is_relative_to(here):
            raise GlamError(f"--out {root}: lies inside {source.root}, or holds it; choose a folder elsewhere")
        schema = replace(source.schema, objects=tuple(objects))
        return cls(source, root, schema, {"source": source.content_id, "objects": list(objects), **to_json(notes)})

    @contextmanager
    def making(self) -> Iterator[None]:
        """Be the only one who makes this copy, new or begun earlier with the same notes."""
        files.require_new_or_own(self.root, NOTES, layout.LOCK, "glam data masks")
        busy = f"{self.root}: masks are being made here already; wait for that to end, or choose another folder"
        with files.exclusive(files.contained(self.root, layout.LOCK), busy):
            self._begin()
            yield

    @property
    def is_published(self) -> bool:
        """True when nothing is left to do."""
        return (self.root / layout.INFO).exists()

    def missing(self) -> list[int]:
        """Episodes whose masks are still to be made."""
        if self.is_published:
            return []
        return [record.index for record in self.source.episodes if not self._aside(record.index).is_file()]

    def save(self, index: int, masks: Mapping[str, Masks]) -> None:
        """Put the masks of an episode aside, durably; by feature, such as `observation.masks.front`."""
        expected = (self.source.episodes[index].length, *self.schema.image_size, len(self.schema.objects))
        for key in self.schema.mask_keys:
            assert masks[key].shape == expected, (key, masks[key].shape, expected)
        columns = {key: pa.array([encode_image(mask) for mask in masks[key]]) for key in self.schema.mask_keys}
        counts = {key: tables.histogram(masks[key]).tolist() for key in self.schema.mask_keys}
        frames = {key: masks[key].any(axis=(1, 2)).sum(0).tolist() for key in self.schema.mask_keys}
        metadata = {"histograms": json.dumps(counts), "frames": json.dumps(frames)}
        files.write_bytes(self._aside(index), tables.parquet_bytes(pa.table(columns, metadata=metadata)))

    def publish(self, progress: Progress = no_progress) -> None:
        """Make the dataset, masks of all episodes being there; `progress` counts files."""
        if not self.is_published:
            episodes = tuple(self._read(record.index) for record in self.source.episodes)
            copy = MaskedCopy(self.source, self.root, self.schema, episodes)
            digests, names = {NOTES: files.sha256(self.root / NOTES)}, copy.names()
            for folder in {files.contained(self.root, name).parent for name in names}:
                files.sweep(folder)
            for done, name in enumerate(names, start=1):
                if name == layout.INFO:
                    self._seal(copy, digests)
                digests[name] = copy.put(name)
                progress(done, len(names))
        shutil.rmtree(files.contained(self.root, ASIDE), ignore_errors=True)

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

    def _aside(self, index: int) -> Path:
        return files.contained(self.root, f"{ASIDE}/episode-{index:06d}.parquet")

    def _begin(self) -> None:
        """Sweep what a crash left behind; note what is being made, or insist that it is what was begun here."""
        for folder in ("meta", ASIDE):
            files.sweep(files.contained(self.root, folder))
        path = files.contained(self.root, NOTES)
        if not path.exists():
            files.write_json(path, self.notes)
            return
        old = files.read_json(path)
        for name in sorted(old.keys() | self.notes.keys()):
            if old.get(name) != self.notes.get(name):
                remedy = "resume with the same one, or choose another folder"
                raise GlamError(f"{self.root}: masks were begun here with another {name}; {remedy}")

    def _read(self, index: int) -> EpisodeMasks:
        path, length = self._aside(index), self.source.episodes[index].length
        table = tables.read_parquet(path)
        metadata = table.schema.metadata or {}
        if len(table) != length or set(table.column_names) != set(self.schema.mask_keys):
            raise GlamError(f"{path}: not the masks of this episode; delete it, and run the same command again")
        counts, frames = (json.loads(metadata[name]) for name in (b"histograms", b"frames"))
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
