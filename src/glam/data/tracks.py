"""Fingertip tracks: where two points of every hand show in every view, `observation.ee_tracks`.

For each arm, camera and finger there are three numbers: u, v in units of the image (0, 0 is its upper left corner, 1, 1
its lower right one) and whether the point is seen (1 or 0). A point that is not seen keeps the place where it was seen
last; before it is first seen, that of the first time; one that is never seen lies in the middle.

Dimension key: N frames, P points in the order of arms, cameras, fingers.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError

EE_TRACKS = "observation.ee_tracks"
FINGERS = ("left", "right")
"""Left is the finger towards +y of the tool frame, whose z axis points out of the palm; the same for all sources."""
PARTS = ("u", "v", "visible")
PER_POINT = len(PARTS)
MIDDLE = 0.5

Places = NDArray[np.float32]
"""(N, P, 2)."""
Seen = NDArray[np.bool_]
"""(N, P)."""


def track_names(arms: Sequence[str], cameras: Sequence[str]) -> tuple[str, ...]:
    """Names of all entries, such as `left.front.right.u` for the right finger of the left arm."""
    points = [f"{arm}.{camera}.{finger}" for arm in arms for camera in cameras for finger in FINGERS]
    return tuple(f"{point}.{part}" for point in points for part in PARTS)


def points_of(tracks: NDArray[np.float32]) -> tuple[Places, Seen]:
    """Places and whether they are seen. (N, 3 P)."""
    points = tracks.reshape(len(tracks), -1, PER_POINT)
    return points[..., :2], points[..., 2] > 0.5


def tracks_of(places: NDArray[np.floating], seen: Seen) -> NDArray[np.float32]:
    """The feature, (N, 3 P), of one episode: points that are not seen keep their last place."""
    held = _held(places, seen)
    return np.concatenate([held, seen[..., None]], axis=-1).reshape(len(places), -1).astype(np.float32)


def _held(places: NDArray[np.floating], seen: Seen) -> NDArray[np.floating]:
    frames = np.arange(len(seen))[:, None]
    latest = np.maximum.accumulate(np.where(seen, frames, -1), axis=0)
    source = np.where(latest < 0, seen.argmax(axis=0), latest)
    held = np.take_along_axis(places, source[..., None], axis=0)
    held[:, ~seen.any(axis=0)] = MIDDLE
    return held


def cameras_in(names: Sequence[str], arms: Sequence[str] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Arms and cameras of which the entries with these names are the tracks; `arms` where they are known."""
    points = [name.removesuffix(f".{FINGERS[0]}.u") for name in names if name.endswith(f".{FINGERS[0]}.u")]
    known = tuple(arms) or tuple(dict.fromkeys(point.partition(".")[0] for point in points))
    cameras = tuple(
        dict.fromkeys(
            point.removeprefix(f"{known[0]}.") for point in points if known and point.startswith(f"{known[0]}.")
        )
    )
    if not cameras or tuple(names) != track_names(known, cameras):
        example = ", ".join(track_names(known or ("arm",), cameras or ("front",))[:PER_POINT])
        raise GlamError(
            f"{EE_TRACKS} has the entries {', '.join(names) or 'none'}; each point needs {example} and so on"
        )
    return known, cameras


def of_cameras(
    tracks: NDArray[np.float32], arms: int, known: Sequence[str], wanted: Sequence[str]
) -> NDArray[np.float32]:
    """Tracks in the cameras `wanted`, given those in the cameras `known`; where there are none, points are hidden."""
    rows = len(tracks)
    hidden = np.tile(np.array([MIDDLE, MIDDLE, 0.0], np.float32), (rows, arms, len(FINGERS)))
    hidden = hidden.reshape(rows, arms, len(FINGERS) * PER_POINT)
    parts = tracks.reshape(rows, arms, len(known), len(FINGERS) * PER_POINT) if known else None
    chosen = [parts[:, :, known.index(c)] if parts is not None and c in known else hidden for c in wanted]
    return np.stack(chosen, axis=2).reshape(rows, -1) if chosen else tracks[:, :0]
