"""Facts about a dataset that matter for training on several datasets together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glam.data.matching.views import View, views_of
from glam.data.reader import Dataset
from glam.data.schema import EE_POSE, GRIPPER, POSE_SIZE, Schema
from glam.data.tracks import EE_TRACKS, points_of

Array = NDArray[np.float64]

MOST_EPISODES = 200
"""Episodes of a set that are looked at, spread evenly."""
_LOW = 0.02
"""Metres above the lowest place of an episode that count as low."""
_AROUND = 0.5
"""Seconds before and after that place that count as the way down and up."""
_TAILS = (0.01, 0.99)
"""Rare readings count for nothing."""


@dataclass(frozen=True, eq=False)
class Hand:
    """Motion of one arm."""

    positions: Array
    """(M, 3) metres."""
    direction: Array
    """(3,): where the z axis of the tool points on the whole; shorter than 1 as it varies."""
    finger: Array
    """(3,): the line along which the x axis of the tool lies, either way; shorter than 1 as it varies."""
    speed: float
    """m/s, exceeded in one frame of twenty."""
    opening: tuple[float, float]
    """Narrowest and widest opening."""
    first_opening: float
    """At the start of an episode, as a share of that range."""
    closing: float
    """Change of the opening between the way down and the way up, as a share of the range: below 0 where the hand closes
    before it rises. 0 where it never rises, or does not grip there."""

    @property
    def box(self) -> Array:
        """(2, 3): lowest and highest coordinates."""
        return np.quantile(self.positions, _TAILS, axis=0)


@dataclass(frozen=True, eq=False)
class Facts:
    """One dataset."""

    root: Path
    schema: Schema
    episodes: int
    frames: int
    shortest: int
    """Frames of the shortest episode."""
    hands: tuple[Hand, ...]
    """Of each arm; empty where no pose was recorded."""
    views: Mapping[str, View] = field(default_factory=dict)
    """Of each camera."""
    fingers: Mapping[str, Array] = field(default_factory=dict)
    """By arm and camera, such as `arm.front`: from the left fingertip to the right one, the median, (2,) in units of
    the image. Only where both are seen."""


def facts_of(dataset: Dataset) -> Facts:
    """Look at the numbers of a dataset, and at some first images."""
    schema, count = dataset.schema, len(dataset.episodes)
    chosen = sorted({round(place) for place in np.linspace(0, count - 1, min(count, MOST_EPISODES))})
    poses = [dataset.vectors(index)[EE_POSE].astype(np.float64) for index in chosen] if schema.has_pose else []
    arms = range(len(schema.arms) if poses else 0)
    hands = [_hand([part[:, POSE_SIZE * arm : POSE_SIZE * (arm + 1)] for part in poses], schema.fps) for arm in arms]
    shortest = min(record.length for record in dataset.episodes)
    tracks = [dataset.vectors(index)[EE_TRACKS] for index in chosen] if schema.track_cameras else []
    fingers = _fingers(schema, np.concatenate(tracks)) if tracks else {}
    return Facts(dataset.root, schema, count, len(dataset), shortest, tuple(hands), views_of(dataset), fingers)


def _fingers(schema: Schema, tracks: NDArray[np.float32]) -> dict[str, Array]:
    places, seen = points_of(tracks)
    titles = [f"{arm}.{camera}" for arm in schema.arms for camera in schema.track_cameras]
    found = {}
    for number, title in enumerate(titles):
        both = seen[:, 2 * number : 2 * number + 2].all(1)
        if both.any():
            pairs = places[both, 2 * number : 2 * number + 2].astype(np.float64)
            found[title] = np.median(pairs[:, 1] - pairs[:, 0], axis=0)
    return found


def _hand(episodes: list[Array], fps: int) -> Hand:
    every = np.concatenate(episodes)
    first, second = every[:, 3:6], every[:, 6:9]
    steps = np.concatenate([np.linalg.norm(np.diff(part[:, :3], axis=0), axis=1) for part in episodes])
    low, high = np.quantile(every[:, GRIPPER], _TAILS)
    starts = float(np.median([part[0, GRIPPER] for part in episodes]))
    return Hand(
        positions=every[:, :3],
        finger=_line(first),
        direction=np.cross(first, second).mean(axis=0),
        speed=float(np.quantile(steps, 0.95)) * fps if len(steps) else 0.0,
        opening=(float(low), float(high)),
        first_opening=(starts - float(low)) / max(float(high - low), 1e-9),
        closing=_closing(episodes, fps) / max(float(high - low), 1e-9),
    )


def _line(axes: Array) -> Array:
    """The line along which most axes lie, (M, 3), as long as they do: grippers look the same turned by 180 degrees."""
    values, vectors = np.linalg.eigh(axes.T @ axes / len(axes))
    line: Array = vectors[:, -1] * values[-1]
    line *= np.sign(line[np.abs(line).argmax()]) or 1.0
    return line


def _closing(episodes: list[Array], fps: int) -> float:
    """Median change of the opening from before the first low place of an episode to after it."""
    window, changes = max(1, round(_AROUND * fps)), []
    for part in episodes:
        is_low = part[:, 2] < part[:, 2].min() + _LOW
        start = int(is_low.argmax())
        rises = np.flatnonzero(~is_low[start:])
        if not start or not len(rises):
            continue
        end = start + int(rises[0])
        before, after = part[max(0, start - window) : start, GRIPPER], part[end : end + window, GRIPPER]
        changes.append(float(after.mean() - before.mean()))
    return float(np.median(changes)) if changes else 0.0
