"""Locations of the episodes of a LeRobotDataset v3.0, from `meta/episodes` and `meta/tasks.parquet`."""

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from glam.core import files
from glam.core.errors import GlamError
from glam.data import layout, tables
from glam.data.dataset_info import DatasetInfo
from glam.data.image_codecs import TIME_TOLERANCE, VideoSpan


@dataclass(frozen=True)
class EpisodeLocation:
    """Files and frame indices of one episode."""

    index: int
    length: int
    task: str
    first_row: int
    """Row number in the whole set of frame 0."""
    data_file: Path
    file_row: int
    """Row number in `data_file` of frame 0."""
    task_indices: frozenset[int]
    """Values that `task_index` may have in its rows."""
    videos: dict[str, VideoSpan]
    """By camera keys; empty for cameras whose frames are images in the data file."""
    facts: dict[str, Any] = field(default_factory=dict)
    """What the recorder noted; empty in sets that others made."""


def read_tasks(root: Path) -> dict[str, int]:
    """Task texts and their numbers."""
    path = files.contained(root, layout.TASKS)
    table = tables.read_parquet(path, tables.MOST_LISTED)
    # pandas calls a nameless index `__index_level_0__`.
    text = next((name for name in ("task", "__index_level_0__") if name in table.column_names), None)
    if text is None or "task_index" not in table.column_names:
        raise GlamError(f"{path}: columns {', '.join(table.column_names)}; it must have task and task_index")
    return dict(zip(table[text].to_pylist(), table["task_index"].to_pylist(), strict=True))


def read_episodes(root: Path, info: DatasetInfo, videos: Collection[str]) -> tuple[EpisodeLocation, ...]:
    """All episodes in order, with their places in the videos of the features `videos`."""
    columns = _columns(root, videos)
    _require_contiguous(root, info, columns)
    tasks = read_tasks(root)
    spans = {key: _spans(info, columns, key) for key in videos}
    data_file = cache(info.data_file)  # many episodes may lie in one file
    begins: dict[Path, int] = {}
    records = []
    for i, first_row in enumerate(columns["dataset_from_index"]):
        texts = columns["tasks"][i]
        for text in texts:
            if text not in tasks:
                raise GlamError(f"{root / layout.TASKS}: no task {text!r}, which episode {i} has")
        path = data_file(columns["data/chunk_index"][i], columns["data/file_index"][i])
        records.append(
            EpisodeLocation(
                index=i,
                length=columns["length"][i],
                task="; ".join(texts),
                first_row=first_row,
                data_file=path,
                file_row=first_row - begins.setdefault(path, first_row),
                task_indices=frozenset(tasks[text] for text in texts),
                videos={key: spans[key][i] for key in videos},
            )
        )
    return tuple(records)


def _columns(root: Path, cameras: Collection[str]) -> dict[str, list[Any]]:
    """The columns of the episodes table that say where things are, in the order of the episodes."""
    names = ["episode_index", "length", "dataset_from_index", "dataset_to_index", "data/chunk_index", "data/file_index"]
    for key in cameras:
        places = ("chunk_index", "file_index", "from_timestamp", "to_timestamp")
        names += [f"videos/{key}/{place}" for place in places]
    found = (path.relative_to(root).as_posix() for path in (root / layout.EPISODES_FOLDER).glob("*/*.parquet"))
    paths = [files.contained(root, name) for name in sorted(found)]
    if not paths:
        raise GlamError(f"{root / layout.EPISODES_FOLDER}: no parquet files; restore them from a copy")
    columns: dict[str, list[Any]] = {name: [] for name in (*names, "tasks")}
    for path in paths:
        with tables.open_parquet(path) as file:
            table = tables.read_groups(path, file, range(file.num_row_groups), columns, tables.MOST_LISTED)
        for name in names:
            columns[name] += _numbers(path, table, name)
        columns["tasks"] += [[str(text) for text in texts or ()] for texts in table["tasks"].to_pylist()]
    order = sorted(range(len(columns["tasks"])), key=columns["episode_index"].__getitem__)
    return {name: [values[i] for i in order] for name, values in columns.items()}


def _numbers(path: Path, table: pa.Table, name: str) -> list[Any]:
    try:
        values = tables.matrix(table[name])
    except GlamError as error:
        raise GlamError(f"{path}: {name} has {error}") from None
    wanted = "f" if name.endswith("timestamp") else "iu"
    if values.dtype.kind not in wanted or values.ndim != 1:
        raise GlamError(f"{path}: {name} has {values.dtype} values; restore the file from a copy")
    return list(values.tolist())


def _require_contiguous(root: Path, info: DatasetInfo, columns: dict[str, list[Any]]) -> None:
    """Episodes 0..N-1 without gaps, each beginning where the one before it ends."""
    where = root / layout.EPISODES_FOLDER
    count = len(columns["episode_index"])
    if count != info.total_episodes or columns["episode_index"] != list(range(count)):
        last = info.total_episodes - 1
        raise GlamError(f"{where}: {count} episodes that are not numbered 0 to {last}, as {layout.INFO} says")
    row = 0
    for i, length in enumerate(columns["length"]):
        if length < 1 or (columns["dataset_from_index"][i], columns["dataset_to_index"][i]) != (row, row + length):
            raise GlamError(f"{where}: episode {i} must have rows from {row} on, right after the one before it")
        if length > tables.MOST_ROWS:
            raise GlamError(f"{where}: episode {i} has {length} frames; at most {tables.MOST_ROWS} are read")
        row += length
    if row != info.total_frames:
        raise GlamError(f"{where}: {row} frames in all, but {layout.INFO} says {info.total_frames}")


def _spans(info: DatasetInfo, columns: dict[str, list[Any]], key: str) -> list[VideoSpan]:
    """Spans of the episodes in the videos of one camera."""
    names = ("chunk_index", "file_index", "from_timestamp", "to_timestamp")
    chunks, numbers, starts, ends = (columns[f"videos/{key}/{name}"] for name in names)
    video_file = cache(partial(info.video_file, key))
    paths = [video_file(chunk, number) for chunk, number in zip(chunks, numbers, strict=True)]
    last = {path: i for i, path in enumerate(paths)}
    spans = []
    for i, (path, start, end) in enumerate(zip(paths, starts, ends, strict=True)):
        length = columns["length"][i]
        if not abs(end - start - length / info.fps) <= TIME_TOLERANCE:
            lasting = f"{length} frames at {info.fps} frames per second"
            raise GlamError(f"{path}: episode {i} has {end - start:.4f} s of video, but {lasting}")
        spans.append(VideoSpan(path, start, length, ends_file=last[path] == i))
    return spans
