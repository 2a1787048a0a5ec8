"""Tables of fingertip tracks beside videos: a row for each moment, with columns known by their names.

| column                                          | meaning                                                           |
|-------------------------------------------------|-------------------------------------------------------------------|
| `timestamp`                                     | seconds since the first frame of the videos                       |
| `<camera>.<finger>.u`, `<camera>.<finger>.v`    | place of the finger, `left` or `right`: pixels, or 0 to 1         |
| `<camera>.<finger>.visible`                     | 1 or 0; without this column the finger is always seen             |

With several arms each name begins with that of the arm: `left.front.right.u`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.data.tracks import FINGERS, PARTS
from glam.interop.imports.point_tracks import Array, PointTracks, read_points
from glam.interop.imports.pose_table import PoseTable, read_table
from glam.interop.imports.recordings import ONE_ARM, FrameSequence

NAMES = ("tracks.csv", "tracks.json")
_TIME = "timestamp"
_VISIBLE = PARTS[2]


def read_tracks(
    folders: Sequence[Path], cameras: Mapping[str, FrameSequence], arms: Sequence[str]
) -> tuple[tuple[str, ...], tuple[PointTracks | None, ...]]:
    """Cameras with tracks, and the tracks of every episode; none if no folder has a table of them."""
    files = [next((folder / name for name in NAMES if (folder / name).is_file()), None) for folder in folders]
    found = [file for file in files if file is not None]
    if not found:
        return (), tuple(None for _ in folders)
    if len(found) < len(files):
        lacking = folders[files.index(None)]
        raise GlamError(f"{lacking}: has no table of tracks, {' or '.join(NAMES)}, but {found[0]} is one")
    tables = [read_table(file) for file in found]
    prefixes = ["" if arm == ONE_ARM else f"{arm}." for arm in arms]
    tracked = tuple(camera for camera in cameras if any(_is_of(name, camera, prefixes) for name in tables[0].columns))
    points = [f"{prefix}{camera}.{finger}" for prefix in prefixes for camera in tracked for finger in FINGERS]
    if not points:
        raise GlamError(f"{tables[0].path}: no column is called as in {next(iter(cameras))}.left.u")
    sides = [cameras[camera].size[::-1] for camera in tracked for _ in FINGERS]
    times = [_times(table) for table in tables]
    places = [_stacked(table, points) for table in tables]
    seen = [np.stack([_seen(table, point) for point in points], axis=1) for table in tables]
    made, _ = read_points(times, places, seen, np.array(sides * len(arms), np.float64), str(tables[0].path))
    return tracked, made


def _is_of(name: str, camera: str, prefixes: Sequence[str]) -> bool:
    return any(name.startswith(f"{prefix}{camera}.") for prefix in prefixes)


def _stacked(table: PoseTable, points: Sequence[str]) -> Array:
    """(T, P, 2); every column of the table must be known."""
    known = {_TIME, *(f"{point}.{part}" for point in points for part in PARTS)}
    for name in table.columns:
        if name not in known:
            raise GlamError(f"{table.path}: the column {name!r} is unknown; known are {', '.join(sorted(known))}")
    return np.stack([np.column_stack([_column(table, f"{point}.{part}") for part in "uv"]) for point in points], axis=1)


def _seen(table: PoseTable, point: str) -> NDArray[np.bool_]:
    flags = table.columns.get(f"{point}.{_VISIBLE}")
    return np.ones(len(_column(table, _TIME)), np.bool_) if flags is None else flags > 0.5


def _times(table: PoseTable) -> Array:
    times = _column(table, _TIME)
    if len(times) < 2 or (np.diff(times) <= 0.0).any():
        raise GlamError(f"{table.path}: needs at least two rows, whose {_TIME} increases")
    return times


def _column(table: PoseTable, name: str) -> Array:
    if name not in table.columns:
        raise GlamError(f"{table.path}: has no column {name}")
    return table.columns[name]
