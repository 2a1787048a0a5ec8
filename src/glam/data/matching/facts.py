"""Facts about a dataset that matter for training on several datasets together."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glam.data.reader import Dataset
from glam.data.schema import EE_POSE, GRIPPER, POSE_SIZE, Schema

Array = NDArray[np.float64]

MOST_EPISODES = 200
"""Episodes of a set that are looked at, spread evenly."""
_TAILS = (0.01, 0.99)
"""Rare readings count for nothing."""


@dataclass(frozen=True, eq=False)
class Hand:
    """Motion of one arm."""

    positions: Array
    """(M, 3) metres."""
    direction: Array
    """(3,): where the z axis of the tool points on the whole; shorter than 1 as it varies."""
    speed: float
    """m/s, exceeded in one frame of twenty."""
    opening: tuple[float, float]
    """Narrowest and widest opening."""
    first_opening: float
    """At the start of an episode, as a share of that range."""

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
    hands: tuple[Hand, ...]
    """Of each arm; empty where no pose was recorded."""


def facts_of(dataset: Dataset) -> Facts:
    """Look at the numbers of a dataset; images are left alone."""
    schema, count = dataset.schema, len(dataset.episodes)
    chosen = sorted({round(place) for place in np.linspace(0, count - 1, min(count, MOST_EPISODES))})
    poses = [dataset.vectors(index)[EE_POSE].astype(np.float64) for index in chosen] if schema.has_pose else []
    arms = range(len(schema.arms) if poses else 0)
    hands = [_hand([part[:, POSE_SIZE * arm : POSE_SIZE * (arm + 1)] for part in poses], schema.fps) for arm in arms]
    return Facts(dataset.root, schema, count, len(dataset), tuple(hands))


def _hand(episodes: list[Array], fps: int) -> Hand:
    every = np.concatenate(episodes)
    first, second = every[:, 3:6], every[:, 6:9]
    steps = np.concatenate([np.linalg.norm(np.diff(part[:, :3], axis=0), axis=1) for part in episodes])
    low, high = np.quantile(every[:, GRIPPER], _TAILS)
    starts = float(np.median([part[0, GRIPPER] for part in episodes]))
    return Hand(
        positions=every[:, :3],
        direction=np.cross(first, second).mean(axis=0),
        speed=float(np.quantile(steps, 0.95)) * fps if len(steps) else 0.0,
        opening=(float(low), float(high)),
        first_opening=(starts - float(low)) / max(float(high - low), 1e-9),
    )
