"""LeRobot datasets of the versions v2.0 and v2.1, read as they are: one data file and one video for each episode.

    meta/info.json          as in v3.0, with path templates of `episode_chunk` and `episode_index`
    meta/tasks.jsonl        {"task_index": 0, "task": "..."}
    meta/episodes.jsonl     {"episode_index": 0, "tasks": ["..."], "length": 100}

Statistics (`meta/stats.json`, `meta/episodes_stats.jsonl`) are not read: those of the new dataset are computed anew.
"""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from glam.core import files
from glam.core.errors import GlamError
from glam.data import layout
from glam.data.dataset_info import DatasetInfo, parse_info, read_info
from glam.data.episode_locations import EpisodeLocation, read_episodes
from glam.data.image_codecs import VideoSpan

TASKS = "meta/tasks.jsonl"
EPISODES = "meta/episodes.jsonl"
_PLACES = {"{episode_chunk": "{chunk_index", "{episode_index": "{file_index"}


def read_any_info(root: Path) -> DatasetInfo:
    """The description of a dataset of any version that we read."""
    if not is_older(root):
        return read_info(root)
    path = files.contained(root, layout.INFO)
    content = files.read_json(path)
    for name in ("data_path", "video_path"):
        for old, new in _PLACES.items():
            if isinstance(content.get(name), str):
                content[name] = content[name].replace(old, new)
    return parse_info(path, content)


def read_any_episodes(root: Path, info: DatasetInfo, videos: Collection[str]) -> tuple[EpisodeLocation, ...]:
    """All episodes in order, with their places in the videos of the features `videos`."""
    return _episodes(root, info, videos) if is_older(root) else read_episodes(root, info, videos)


def is_older(root: Path) -> bool:
    """True for a dataset of an older version; its statistics need not be there."""
    path = files.contained(root, layout.INFO)
    content = files.read_json(path) if path.is_file() else None
    return isinstance(content, dict) and content.get("codebase_version") in layout.OLDER_VERSIONS


def _episodes(root: Path, info: DatasetInfo, videos: Collection[str]) -> tuple[EpisodeLocation, ...]:
    tasks = {str(line["task"]): line["task_index"] for line in _lines(root, TASKS, {"task": str, "task_index": int})}
    kinds = {"episode_index": int, "tasks": list, "length": int}
    lines = sorted(_lines(root, EPISODES, kinds), key=lambda line: int(line["episode_index"]))
    if [line["episode_index"] for line in lines] != list(range(info.total_episodes)):
        last = info.total_episodes - 1
        raise GlamError(
            f"{root / EPISODES}: {len(lines)} episodes that are not numbered 0 to {last}, as info.json says"
        )
    per_chunk = _per_chunk(info)
    records: list[EpisodeLocation] = []
    for line in lines:
        before = records[-1].first_row + records[-1].length if records else 0
        records.append(_location(info, line, tasks, before, per_chunk, videos))
    row = sum(record.length for record in records)
    if row != info.total_frames:
        raise GlamError(f"{root / EPISODES}: {row} frames in all, but {layout.INFO} says {info.total_frames}")
    return tuple(records)


def _location(
    info: DatasetInfo, line: dict[str, Any], tasks: dict[str, int], row: int, per_chunk: int, videos: Collection[str]
) -> EpisodeLocation:
    index, length, texts = line["episode_index"], line["length"], [str(text) for text in line["tasks"]]
    where = f"{info.path.parents[1] / EPISODES}: episode {index}"
    if length < 1:
        raise GlamError(f"{where}: length is {length}; it must be at least 1")
    if unknown := [text for text in texts if text not in tasks]:
        raise GlamError(f"{where}: no task {unknown[0]!r} in {TASKS}")
    chunk = index // per_chunk
    return EpisodeLocation(
        index=index,
        length=length,
        task="; ".join(texts),
        first_row=row,
        data_file=info.data_file(chunk, index),
        file_row=0,
        task_indices=frozenset(tasks[text] for text in texts),
        videos={key: VideoSpan(info.video_file(key, chunk, index), 0.0, length, ends_file=True) for key in videos},
    )


def _per_chunk(info: DatasetInfo) -> int:
    """Episodes in a folder."""
    size = files.read_json(info.path).get("chunks_size", layout.FILES_PER_CHUNK)
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise GlamError(f"{info.path}: chunks_size is {size!r}; it must be a positive whole number")
    return size


def _lines(root: Path, name: str, kinds: dict[str, type]) -> Iterator[dict[str, Any]]:
    """The objects of a file that has one in each line, with fields of these kinds."""
    path = files.contained(root, name)
    if not path.is_file():
        raise GlamError(f"{path}: no such file, which a dataset of version 2 has; restore it from a copy")
    for number, text in enumerate(files.read_bytes(path).decode("utf-8", "replace").splitlines(), start=1):
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except (json.JSONDecodeError, RecursionError):
            value = None
        if not isinstance(value, dict) or any(type(value.get(key)) is not kind for key, kind in kinds.items()):
            wanted = ", ".join(f"{key} ({kind.__name__})" for key, kind in kinds.items())
            raise GlamError(f"{path}: line {number} is not an object with {wanted}")
        yield value
