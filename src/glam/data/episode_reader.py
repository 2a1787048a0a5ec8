"""Rows of one episode in a data file, checked to belong to that episode."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.data import tables
from glam.data.episode_locations import EpisodeLocation
from glam.data.png import decode_image
from glam.data.schema import INDEX_FEATURES
from glam.data.video import TIME_TOLERANCE


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
