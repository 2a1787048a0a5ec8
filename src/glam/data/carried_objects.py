"""Places of hands, told by the objects that they carry: alike for every hand, whatever frame its poses are in.

A carried object moves with the tool. On the target, whose poses are known, the places of carried objects in the images
are regressed onto the position of the tool. In another set with masks of the same objects and cameras that stand alike,
they tell where the tool was in the target's frame. For each episode one turn about the vertical and one shift take the
recorded path there. Where little was carried, the usual start of the target's episodes helps.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.core.geometry import rotation_from_six, rotation_z
from glam.core.workers import Progress, no_progress
from glam.data.reader import Dataset
from glam.data.schema import EE_POSE, GRIPPER, MASK_PREFIX

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

_MOVES = 0.02
"""Least motion of a carried object from frame to frame, over all views, in halves of an image."""
_STEP = 0.004
"""Least motion of the hand meanwhile, in metres."""
_VISIBLE = 0.0004
"""Least share of an image that an object covers where it counts as seen."""
_LEAST_ROWS = 60
"""Frames with a carried object from which the target's path can be told."""
_WORSE = 1.5
"""An object that tells the path worse than the best one by this factor is not used."""
_RIDGE = 1e-4
_LEAST_SIGMA, _LEAST_TURN = 0.003, np.radians(2.0)
"""Metres, and radians of the usual heading, that nothing is told better than."""
_UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class HandPath:
    """One episode: poses of the only arm, and where each object shows."""

    poses: Array
    """(T, 10)."""
    places: Array
    """(T, C, 2 V) centroids of each object in all views, in -1..1; nan where it does not show."""

    def carried(self, item: int) -> Rows:
        """Frames in which an object moves together with the hand."""
        places, positions = self.places[:, item], self.poses[:, :3]
        moved = np.linalg.norm(np.diff(places, axis=0, prepend=places[:1]), axis=1)
        steps = np.linalg.norm(np.diff(positions, axis=0, prepend=positions[:1]), axis=1)
        return np.flatnonzero((np.nan_to_num(moved) > _MOVES) & (steps > _STEP) & np.isfinite(places).all(axis=1))

    @property
    def heading(self) -> complex:
        """Direction of the tool's x axis at the start, seen from above."""
        return complex(self.poses[0, 3], self.poses[0, 4])


@dataclass(frozen=True, eq=False)
class CarriedMotion:
    """Turn and shift that take the poses of an episode into the target's frame."""

    heading: float
    """Turn about the vertical, in radians."""
    shift: Array
    """(3,) metres, after the turn."""
    moved: Array
    """(3,) metres: how far this moves the middle of the path along which something was carried."""
    frames: int
    """Frames that tell it; 0 where the start alone does."""

    def applied(self, poses: Array) -> Array:
        """The poses in the target's frame. (T, 10)."""
        turn, found = rotation_z(self.heading), poses.copy()
        found[:, :3] = poses[:, :3] @ turn.T + self.shift
        for column in (slice(3, 6), slice(6, 9)):
            found[:, column] = poses[:, column] @ turn.T
        return found


@dataclass(frozen=True, eq=False)
class CarryModel:
    """The target's tool, told by the objects that it carries."""

    weights: dict[int, Array]
    """Of the position on functions of an object's places, by object."""
    sigma: float
    """Standard deviation of a coordinate that is told in one frame, in metres."""
    start: Array
    """(3,) usual position at the start."""
    heading: complex
    """Usual heading at the start, and as long as headings agree."""

    @classmethod
    def fit(cls, paths: Sequence[HandPath]) -> "CarryModel | None":
        """The model of a target; None where too little is carried in it."""
        weights, sigmas = {}, {}
        for item in range(paths[0].places.shape[1]):
            rows = [path.carried(item) for path in paths]
            if sum(map(len, rows)) < _LEAST_ROWS:
                continue
            places = np.concatenate([path.places[own, item] for path, own in zip(paths, rows, strict=True)])
            positions = np.concatenate([path.poses[own, :3] for path, own in zip(paths, rows, strict=True)])
            inputs = _functions(places)
            gram = inputs.T @ inputs + _RIDGE * np.identity(inputs.shape[1])
            weights[item] = np.asarray(np.linalg.solve(gram, inputs.T @ positions))
            sigmas[item] = float(np.sqrt(((inputs @ weights[item] - positions) ** 2).mean()))
        if not weights:
            return None
        best = min(sigmas.values())  # others are pushed or dropped rather than carried
        kept = {item: found for item, found in weights.items() if sigmas[item] <= _WORSE * best}
        start = np.mean([path.poses[0, :3] for path in paths], axis=0)
        heading = complex(np.mean([path.heading for path in paths]))
        return cls(kept, max(best, _LEAST_SIGMA), start, heading)

    def motion(self, path: HandPath) -> CarriedMotion:
        """Turn and shift of an episode of another set."""
        rows = {item: path.carried(item) for item in self.weights}
        places = np.concatenate([path.poses[own, :3] for own in rows.values()])
        told = np.concatenate([_functions(path.places[own, item]) @ self.weights[item] for item, own in rows.items()])
        usual = self._usual_turn(path)
        if not len(places):
            heading = float(np.angle(usual))
            shift = self.start - rotation_z(heading) @ path.poses[0, :3]
            return CarriedMotion(heading, shift, self.start - path.poses[0, :3], 0)
        middle, aim = places.mean(0), told.mean(0)
        own, there = (values[:, 0] + 1j * values[:, 1] for values in (places - middle, told - aim))
        heading = float(np.angle((own.conj() * there).sum() / self.sigma**2 + usual))
        return CarriedMotion(heading, aim - rotation_z(heading) @ middle, aim - middle, len(places))

    def _usual_turn(self, path: HandPath) -> complex:
        """Turn that would make the episode start as usual, times the confidence in it."""
        spread = max(float(np.sqrt(2.0 * max(1.0 - abs(self.heading), 0.0))), float(_LEAST_TURN))
        turn = self.heading * path.heading.conjugate()
        return turn / max(abs(turn), 1e-9) / spread**2


def paths_of(
    dataset: Dataset, cameras: Sequence[str], episodes: Sequence[int], progress: Progress = no_progress
) -> list[HandPath]:
    """Poses and places of objects in some episodes; the set has one arm, poses and masks."""
    found = []
    for number, index in enumerate(episodes, start=1):
        poses = dataset.vectors(index)[EE_POSE].astype(np.float64)
        places = np.concatenate([_centroids(dataset.masks(index, MASK_PREFIX + camera)) for camera in cameras], axis=2)
        found.append(HandPath(poses, places))
        progress(number, len(episodes))
    return found


def gravity_in_tool(paths: Sequence[HandPath]) -> Array:
    """Mean direction of the vertical in the frame of the tool, (3,): shorter than 1 as it varies."""
    rotations = rotation_from_six(np.concatenate([path.poses[:, 3:GRIPPER] for path in paths]))
    return np.asarray((rotations.transpose(0, 2, 1) @ _UP).mean(axis=0))


def grips(paths: Sequence[HandPath]) -> tuple[float, float] | None:
    """Opening around a carried object and opening at the start, medians; None where nothing is carried."""
    held = [path.poses[rows, GRIPPER] for path in paths for rows in _all_carried(path) if len(rows)]
    if not held:
        return None
    return float(np.median(np.concatenate(held))), float(np.median([path.poses[0, GRIPPER] for path in paths]))


def view_mismatch(target: Sequence[HandPath], other: Sequence[HandPath]) -> float | None:
    """Misfit of the views of another set by the target's law, in halves of an image; None for one view.

    Where an object shows in one view, its place in the other is known but for one number. That law depends on where the
    cameras stand and on nothing else.
    """
    known, seen = _all_places(target), _all_places(other)
    if known.shape[1] < 4 or len(known) < _LEAST_ROWS or not len(seen):
        return None
    inputs = _functions(known[:, :3])
    gram = inputs.T @ inputs + _RIDGE * np.identity(inputs.shape[1])
    weights = np.linalg.solve(gram, inputs.T @ known[:, 3])
    return float(np.median(np.abs(_functions(seen[:, :3]) @ weights - seen[:, 3])))


def _all_places(paths: Sequence[HandPath]) -> Array:
    """Places of all objects in all frames in which every view shows them. (N, 2 V)."""
    places = np.concatenate([path.places.reshape(-1, path.places.shape[2]) for path in paths])
    return places[np.isfinite(places).all(axis=1)]


def _all_carried(path: HandPath) -> list[Rows]:
    return [path.carried(item) for item in range(path.places.shape[1])]


def _functions(places: Array) -> Array:
    """1, all numbers and all products of two. (N, n) -> (N, 1 + n + n (n + 1) / 2)."""
    first, second = np.triu_indices(places.shape[1])
    products = places[:, first] * places[:, second]
    return np.concatenate([np.ones((len(places), 1)), places, products], axis=1)


def _centroids(masks: NDArray[np.uint8]) -> Array:
    """(T, Y, X, C) -> (T, C, 2); nan where an object does not show."""
    height, width = masks.shape[1:3]
    columns, lines = (masks.sum(axis, dtype=np.float64) / 255.0 for axis in (1, 2))  # (T, X, C), (T, Y, C)
    area = columns.sum(axis=1)
    safe = np.where(area >= _VISIBLE * height * width, area, np.nan)
    x = np.einsum("txc,x->tc", columns, np.linspace(-1.0, 1.0, width)) / safe
    y = np.einsum("tyc,y->tc", lines, np.linspace(-1.0, 1.0, height)) / safe
    return np.stack([x, y], axis=-1)
