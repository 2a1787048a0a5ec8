"""A folder of videos and poses: a sub-folder for each episode, in it a video for each camera and a table of poses.

| file                        | holds                                                                  |
|-----------------------------|------------------------------------------------------------------------|
| `task.txt`                  | what is done, as a sentence; an episode may have its own               |
| `episode_000/front.mp4`     | camera `front`                                                         |
| `episode_000/wrist.mp4`     | camera `wrist`; all cameras of an episode begin at the same moment     |
| `episode_000/poses.csv`     | or `poses.json`, see `pose_table`; no episode has one in a set without poses |
| `episode_000/tracks.csv`    | or `tracks.json`, see `track_table`: fingertips, of all episodes or of none  |
"""

import logging
import re
from functools import partial
from pathlib import Path

import numpy as np

from glam.core.errors import GlamError
from glam.interop.imports import pose_table
from glam.interop.imports.pose_table import PoseTable, read_table
from glam.interop.imports.reader_client import ReaderClient
from glam.interop.imports.recordings import (
    ONE_ARM,
    FrameSequence,
    Hints,
    Importer,
    Motion,
    Recording,
    Track,
    checked_rate,
    opening_fractions,
    with_range,
)
from glam.interop.imports.stores.video_file import FRAMES, TIMES, VideoStore
from glam.interop.imports.track_table import read_tracks

_LOG = logging.getLogger(__name__)

VIDEOS = (".avi", ".mkv", ".mov", ".mp4", ".webm")
TASK = "task.txt"
_LONGEST_TASK = 1000
_CLOSED_TO_OPEN = (0.0, 1.0)
_SLACK = 0.02
"""Of the stroke; what a compliant finger may overshoot."""


def read(reader: ReaderClient, source: Path, hints: Hints) -> Recording:
    """Everything but the images of a folder of videos."""
    folders = episode_folders(source)
    if not folders:
        raise GlamError(f"{source}: has no sub-folder; each episode needs one, with videos and {_tables()}")
    cameras = [_cameras(reader, folder) for folder in folders]
    if not any((folder / name).exists() for folder in folders for name in pose_table.NAMES):
        return _without_poses(source, folders, cameras, hints)
    tables = [_table(folder) for folder in folders]
    first = tables[0]
    _require_alike(folders, cameras)
    for table in tables:
        if list(table.columns) != list(first.columns):
            raise GlamError(f"{table.path}: has other columns than {first.path}; all must have the same")
    motions = _motions(tables, hints)
    arms = tuple(arm or ONE_ARM for arm in first.arms)
    tracked, points = read_tracks(folders, cameras[0], arms)
    return Recording(
        source=source,
        robot="video-folder",
        rate=hints.source_rate or _rate(cameras[0]),
        arms=arms,
        state_names=first.named("state."),
        action_names=first.named("action."),
        is_bound_to_rate=False,
        tracks=tuple(
            Track(folder.name, _task(folder, hints), motion, seen, points=fingertips)
            for folder, motion, seen, fingertips in zip(folders, motions, cameras, points, strict=True)
        ),
        track_cameras=tracked,
        poses=with_range(first.recipe, *(hints.gripper or _CLOSED_TO_OPEN)),
    )


def _without_poses(
    source: Path, folders: list[Path], cameras: list[dict[str, FrameSequence]], hints: Hints
) -> Recording:
    """Videos, with tracks or alone: an auxiliary set for methods that need no pose."""
    _LOG.warning("%s: no episode has a table of poses (%s); the set is one without poses", source, _tables())
    _require_alike(folders, cameras)
    tracked, points = read_tracks(folders, cameras[0], (ONE_ARM,))
    tracks = []
    for folder, seen, fingertips in zip(folders, cameras, points, strict=True):
        times = next(iter(seen.values())).times
        count = len(times)
        nothing = [np.empty((count, 0, 3)), np.empty((count, 0, 4)), np.empty((count, 0))]
        nothing += [np.empty((count, 0)), np.empty((count, 0))]
        tracks.append(Track(folder.name, _task(folder, hints), Motion(times, *nothing), seen, points=fingertips))
    rate = hints.source_rate or _rate(cameras[0])
    return Recording(
        source=source,
        robot="video-folder",
        rate=rate,
        arms=(ONE_ARM,),
        state_names=(),
        action_names=(),
        is_bound_to_rate=False,
        tracks=tuple(tracks),
        has_pose=False,
        track_cameras=tracked,
    )


def _require_alike(folders: list[Path], cameras: list[dict[str, FrameSequence]]) -> None:
    for folder, seen in zip(folders, cameras, strict=True):
        if list(seen) != list(cameras[0]):
            raise GlamError(f"{folder}: has cameras {', '.join(seen)}, but {folders[0]} has {', '.join(cameras[0])}")


def episode_folders(source: Path) -> list[Path]:
    """Sub-folders in the order of the numbers in their names."""
    folders = (path for path in source.iterdir() if path.is_dir() and not path.name.startswith("."))
    return sorted(folders, key=_natural)


def _natural(path: Path) -> list[tuple[int, int, str]]:
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", path.name) if part]


def _table(folder: Path) -> PoseTable:
    found = [folder / name for name in pose_table.NAMES if (folder / name).is_file()]
    if len(found) != 1:
        raise GlamError(f"{folder}: has {len(found)} tables of poses; it must have one, {_tables()}")
    return read_table(found[0])


def _tables() -> str:
    return " or ".join(pose_table.NAMES)


def _motions(tables: list[PoseTable], hints: Hints) -> list[Motion]:
    motions = [table.motion() for table in tables]
    for table, motion in zip(tables, motions, strict=True):
        if table.named("state.") and not table.named("action."):
            raise GlamError(f"{table.path}: has columns state.* but no action.*; leave them out of an auxiliary set")
        outside = (motion.openings < -_SLACK) | (motion.openings > 1.0 + _SLACK)
        if hints.gripper is None and outside.any():
            row = int(np.argwhere(outside)[0, 0])
            worst = f"row {row + 1}: gripper is {motion.openings[outside][0]:g}"
            raise GlamError(f"{table.path}: {worst}, not 0 to 1; say with --gripper what is read closed and open")
    openings = opening_fractions([motion.openings for motion in motions], hints.gripper or _CLOSED_TO_OPEN, "")
    return [
        Motion(motion.times, motion.positions, motion.quaternions, opening, motion.state, motion.action)
        for motion, opening in zip(motions, openings, strict=True)
    ]


def _cameras(reader: ReaderClient, folder: Path) -> dict[str, FrameSequence]:
    files = _videos(folder)
    if not files:
        raise GlamError(f"{folder}: has no video ({', '.join('*' + ending for ending in VIDEOS)})")
    cameras = {}
    for file in files:
        if file.stem in cameras:
            raise GlamError(f"{folder}: has two videos of the camera {file.stem}")
        opened = reader.open(VideoStore, file)
        height, width = opened.arrays[FRAMES].shape[1:3]
        cameras[file.stem] = FrameSequence(
            file.name, opened.whole(TIMES), (height, width), partial(opened.pieces, FRAMES)
        )
    return cameras


def _videos(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in VIDEOS and not path.name.startswith("."))


def _rate(cameras: dict[str, FrameSequence]) -> float:
    frames = next(iter(cameras.values()))
    # The mean: single times may be rounded to milliseconds.
    rate = (len(frames.times) - 1) / frames.times[-1] if len(frames.times) > 1 else 0.0
    return checked_rate(float(rate), f"the rate of {frames.name}")


def _task(folder: Path, hints: Hints) -> str:
    for path in (folder / TASK, folder.parent / TASK):
        if not hints.task and path.is_file():
            text = " ".join(path.read_bytes()[: 4 * _LONGEST_TASK].decode("utf-8", "replace").split())
            if not 0 < len(text) <= _LONGEST_TASK or not text.isprintable() or "\N{REPLACEMENT CHARACTER}" in text:
                raise GlamError(f"{path}: must hold one sentence of at most {_LONGEST_TASK} characters")
            return text
    return hints.task or folder.parent.name


def _recognizes(source: Path) -> bool:
    return source.is_dir() and any(_videos(folder) for folder in episode_folders(source))


IMPORTER = Importer(read, _recognizes, takes=("folder",))
