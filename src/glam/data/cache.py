"""Decoded frames on disk: a dataset is decoded once, and from then on read as memory maps.

A cached set is a folder named by what it holds: the dataset's content, the size of the images, and the version of
this format. It appears complete or not at all. Its arrays have checksums: those of numbers are compared when the set is
opened, those of images when they are read. Deleting it costs time only.

Joint paths are kept beside the frames: inverse kinematics is done once for a dataset and a robot.
"""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from glam.core import files, seals
from glam.core.errors import GlamError
from glam.core.workers import Pool, Progress, no_progress
from glam.data import cache_upkeep
from glam.data.cache_upkeep import CheckedRows, checksums, is_intact, mapped
from glam.data.decoding import Job, decode, writing
from glam.data.reader import Dataset
from glam.data.schema import ACTION, EE_POSE, STATE
from glam.data.tracks import EE_TRACKS
from glam.data.windows import EpisodeTable, Frames, LabelledFrames

FORMAT_VERSION = 2
LISTING = "arrays.json"
"""Checksums of the arrays, under a seal."""


def decoded(
    dataset: Dataset,
    size: int | tuple[int, int],
    cache_dir: Path | None = None,
    *,
    workers: int = 1,
    progress: Progress = no_progress,
    pool: Pool | None = None,
) -> Frames:
    """The frames of a dataset, `LabelledFrames` if it is a target; decoded now if they are not in the cache yet.

    Args:
        dataset: What to decode.
        size: Height and width of the images; a single number makes them square, whatever the files hold.
        cache_dir: Where to keep decoded frames, instead of `default_folder()`.
        workers: How many processes decode. Scripts that use several need `if __name__ == "__main__":`.
        progress: Called with the number of frames decoded so far and in all; not called when nothing is to be decoded.
        pool: Other machines to decode on, which must see dataset and cache under the same paths.
    """
    if len(dataset) == 0:
        raise GlamError(f"{dataset.root}: the dataset has no frames; record at least one episode")
    pixels = (size, size) if isinstance(size, int) else size
    if min(pixels) < 1 or workers < 1:
        raise GlamError(f"images of {pixels[0]}x{pixels[1]} pixels by {workers} workers; each must be at least 1")
    name = f"{dataset.content_id[:32]}-{pixels[0]}x{pixels[1]}-v{FORMAT_VERSION}"
    cached = Job(dataset, pixels, (cache_dir or default_folder()) / name)
    with suppress(_UnusableError):
        return _in_use(cached)
    with _sole_builder(cached.folder):
        with suppress(_UnusableError):  # somebody else may have built it while we waited
            return _in_use(cached)
        _build(cached, workers, progress, pool)
        frames = _read_back(cached)
    cache_upkeep.keep_below_limit(cached.folder.parent)
    return frames


def default_folder() -> Path:
    """`$GLAM_CACHE`, or else `glam` in the user's cache folder."""
    if os.environ.get("GLAM_CACHE"):
        return Path(os.environ["GLAM_CACHE"])
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "glam"


def _in_use(cached: Job) -> Frames:
    """The cached set, kept until this process ends."""
    frames = _opened(cached)
    with suppress(OSError):  # a cache that others filled may be read-only here
        cache_upkeep.hold(cached.folder)
    return frames


def _read_back(cached: Job) -> Frames:
    """The cached set that was just made."""
    try:
        return _in_use(cached)
    except _UnusableError:
        raise GlamError(f"{cached.folder}: cannot be read back; check the disk, then run the command again") from None


class _UnusableError(Exception):
    """There is no cached set, or not the one that was made."""


def _opened(cached: Job) -> Frames:
    """The cached set, if its arrays have the shapes and its numbers the checksums that were written."""
    sums = _checksums(cached)
    arrays: dict[str, Any] = {}
    for key, kind in cached.arrays.items():
        path = cached.file(key)
        try:
            array = mapped(path)
        except (OSError, ValueError) as error:
            raise _UnusableError(path) from error
        is_image = kind.dtype == np.uint8
        if (array.shape, array.dtype) != (kind.shape, kind.dtype) or not (is_image or is_intact(array, sums[key])):
            raise _UnusableError(path)
        arrays[key] = CheckedRows(array, sums[key], partial(_give_up, path)) if is_image else array
    return _frames(cached.dataset, arrays)


def _checksums(cached: Job) -> dict[str, list[int]]:
    try:
        listing = seals.read_json(cached.folder, LISTING)
    except (GlamError, OSError) as error:
        raise _UnusableError(cached.folder) from error
    if listing["content"] != cached.dataset.content_id:  # names hold only the beginnings of digests
        raise _UnusableError(cached.folder)
    return listing["checksums"]


def _give_up(path: Path, row: int) -> NoReturn:
    """Say that a block of a cached array is damaged; without its seal the set is made anew when it is next wanted."""
    with suppress(OSError):
        seals.unseal(path.parent)
    raise GlamError(f"{path}: damaged at row {row}; run the same command again, which decodes the dataset anew")


def _frames(dataset: Dataset, arrays: dict[str, Any]) -> Frames:
    schema, nothing = dataset.schema, np.zeros((len(dataset), 0), np.float32)
    common: dict[str, Any] = {
        "images": {key: arrays[key] for key in schema.image_keys},
        "masks": {key: arrays[key] for key in schema.mask_keys},
        "ee_pose": arrays.get(EE_POSE, nothing),
        "ee_tracks": arrays.get(EE_TRACKS, nothing),
        "episodes": EpisodeTable.of_lengths([record.length for record in dataset.episodes]),
        "schema": schema,
        "content_id": dataset.content_id,
    }
    if schema.role == "auxiliary":
        return Frames(**common)
    return LabelledFrames(**common, state=arrays[STATE], action=arrays[ACTION])


@contextmanager
def _sole_builder(folder: Path) -> Iterator[None]:
    """Wait until nobody else builds this cached set; the kernel frees the lock of a process that dies."""
    lock = folder.with_name(f".{folder.name}.lock")
    with writing(lock):
        file = files.open_lock(lock)
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(cached: Job, workers: int, progress: Progress, pool: Pool | None) -> None:
    folder = cached.folder
    new, old = (folder.with_name(f".{folder.name}.{which}{files.TEMPORARY_SUFFIX}") for which in ("new", "old"))
    unfinished = replace(cached, folder=new)
    _remove(new, old)  # what a builder that died has left: nobody else builds now
    _require_room(cached)
    try:
        with writing(new):
            new.mkdir()
        decode(unfinished, workers, progress, pool)
        with writing(folder):
            _seal(unfinished)
            if folder.exists():
                folder.rename(old)
            new.rename(folder)
            files.sync_folder(folder.parent)
    finally:
        _remove(new, old)


def _require_room(cached: Job) -> None:
    """Refuse before the work rather than after it."""
    needed = sum(kind.size for kind in cached.arrays.values())
    free = shutil.disk_usage(cached.folder.parent).free
    if needed > free:
        raise GlamError(
            f"{cached.folder.parent}: {free / 1e6:.0f} MB are free, but decoding {cached.dataset.root} needs "
            f"{needed / 1e6:.0f} MB; make room, or set GLAM_CACHE to a folder elsewhere"
        )


def _seal(unfinished: Job) -> None:
    """Make the arrays durable, then seal their checksums."""
    sums = {}
    for key in unfinished.arrays:
        path = unfinished.file(key)
        with path.open("rb") as file:
            os.fsync(file.fileno())
        sums[key] = checksums(mapped(path))
    content = {"content": unfinished.dataset.content_id, "checksums": sums}
    seals.write(unfinished.folder, {LISTING: seals.json_bytes(content)})


def _remove(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


_FORMAT = "1"


@dataclass(frozen=True, eq=False)
class JointPaths:
    """One row for each frame of a dataset."""

    reached: NDArray[np.float32]
    """(N, n_a): what the robot's joints and grippers would read at the recorded poses."""
    misses: NDArray[np.float32]
    """(N, 2): distance (m) and angle (rad) by which the poses are missed."""


@dataclass(frozen=True)
class JointPathsProvenance:
    """Everything that joint paths depend on."""

    dataset: str
    """Content id of the dataset."""
    robot: str
    """Name of the robot."""
    geometry: str
    """Fingerprint of its arms and of the solver."""


def stored(provenance: JointPathsProvenance, make: Callable[[], JointPaths]) -> JointPaths:
    """The joint paths of a dataset, made now if they are not in the cache; a damaged file is made again."""
    name = f"{provenance.dataset[:32]}-{provenance.robot}-{provenance.geometry[:16]}-joints-v{_FORMAT}.parquet"
    path = default_folder() / name
    try:
        return _read(path, provenance)
    except (OSError, KeyError, pa.ArrowException):
        paths = make()
        _write(path, paths, provenance)
        return paths


def _write(path: Path, paths: JointPaths, provenance: JointPathsProvenance) -> None:
    columns = {name: _column(values) for name, values in vars(paths).items()}
    with files.replacing(path) as temporary:
        table = pa.table(columns).replace_schema_metadata(vars(provenance))
        pq.write_table(table, temporary, write_page_checksum=True)


def _read(path: Path, provenance: JointPathsProvenance) -> JointPaths:
    table = pq.read_table(path, page_checksum_verification=True)
    notes = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    if notes != vars(provenance):
        raise KeyError(path)  # names hold only the beginnings of digests
    return JointPaths(*(_array(table[name].combine_chunks()) for name in ("reached", "misses")))


def _column(values: NDArray[np.float32]) -> pa.Array:
    return pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), values.shape[1])


def _array(column: pa.Array) -> NDArray[np.float32]:
    return column.values.to_numpy().reshape(-1, column.type.list_size)
