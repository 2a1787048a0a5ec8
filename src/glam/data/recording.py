"""Crash-safe recording of a dataset by one recorder and its worker processes.

    with recording(root, schema, description):
        for index in sorted(set(range(n)) - acknowledged(root)):     # spread over processes as you like
            save_episode(root, schema, index, episode, facts)
        publish(root, schema, description, episodes=n)

An episode exists from the moment its journal record does, and is never lost from then on. Whatever the number of
workers and interruptions, the published files are the same bytes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core import files
from glam.core.errors import GlamError
from glam.data import journal, layout, video
from glam.data.feature_statistics import histogram, to_lines
from glam.data.journal import acknowledged
from glam.data.manifest import DatasetDescription
from glam.data.publishing import publish
from glam.data.schema import Episode, Schema
from glam.data.tables import episode_rows, parquet_bytes

__all__ = ["DatasetDescription", "acknowledged", "publish", "recording", "require_valid", "save_episode"]


@contextmanager
def recording(root: Path, schema: Schema, description: DatasetDescription) -> Iterator[None]:
    """Be the only recorder of `root`, new or begun earlier with the same schema and description."""
    files.require_new_or_own(root, layout.RECORDING, layout.LOCK, "a recording")
    busy = f"{root}: another recorder is writing here; wait for it to end, or choose another folder"
    with files.exclusive(root / layout.LOCK, busy):
        journal.begin(root, schema, description)
        with journal.quiet(root):
            journal.sweep(root)
        yield


def save_episode(root: Path, schema: Schema, index: int, episode: Episode, facts: dict[str, Any]) -> None:
    """Store an episode durably and acknowledge it; does nothing if it is acknowledged already.

    May be called by any process while a `recording` is open. `facts` is small plain JSON kept in the manifest.
    """
    require_valid(schema, episode, index)
    with journal.saving(root):
        if index in acknowledged(root):
            return
        contents = {layout.journal_rows(index): parquet_bytes(episode_rows(schema, episode, index))}
        contents |= {
            layout.video_file(key, index): video.encode(episode.images[key], schema.fps) for key in schema.image_keys
        }
        for name, content in contents.items():
            files.write_bytes(root / name, content)
        record = journal.JournalRecord(
            length=len(episode),
            task=episode.task,
            files={name: sha256(content).hexdigest() for name, content in contents.items()},
            histograms={key: to_lines(histogram(seen)) for key, seen in (episode.images | episode.masks).items()},
            facts=facts,
        )
        journal.write(root, index, record)


def require_valid(schema: Schema, episode: Episode, index: int) -> None:
    """Refuse an episode that is not of the schema; the error names the feature."""
    where = f"episode {index}"
    length = len(episode)
    if length < 2:
        raise GlamError(f"{where}: {length} frames; an episode must have at least 2")
    if not episode.task:
        raise GlamError(f"{where}: the task is empty; it must say what is done")
    _require_keys(where, schema.vectors, episode.vectors)
    _require_keys(where, schema.image_keys, episode.images)
    _require_keys(where, schema.mask_keys, episode.masks)
    for key, names in schema.vectors.items():
        _require_array(f"{where}: {key}", episode.vectors[key], (length, len(names)), np.float32)
        if not np.isfinite(episode.vectors[key]).all():
            frame = int(np.argwhere(~np.isfinite(episode.vectors[key]))[0, 0])
            raise GlamError(f"{where}: {key} is not finite in frame {frame}")
    for key in schema.image_keys:
        _require_array(f"{where}: {key}", episode.images[key], (length, *schema.image_size, 3), np.uint8)
    for key in schema.mask_keys:
        shape = (length, *schema.image_size, len(schema.objects))
        _require_array(f"{where}: {key}", episode.masks[key], shape, np.uint8)
        if not ((episode.masks[key] == 0) | (episode.masks[key] == 255)).all():
            raise GlamError(f"{where}: {key} has values other than 0 and 255")


def _require_keys(where: str, wanted: Any, given: Any) -> None:
    for key in sorted(set(wanted) ^ set(given)):
        problem = "is missing" if key in wanted else "has no place in this dataset"
        raise GlamError(f"{where}: {key} {problem}; the schema has {', '.join(wanted) or 'none'}")


def _require_array(what: str, array: NDArray[Any], shape: tuple[int, ...], dtype: type) -> None:
    if array.shape != shape or array.dtype != dtype:
        wanted = f"{np.dtype(dtype)} of shape {shape}"
        raise GlamError(f"{what} is {array.dtype} of shape {array.shape}; it must be {wanted}")
