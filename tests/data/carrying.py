"""Episodes of a hand that carries a point which two cameras see, and the same with the errors of a tracker."""

from dataclasses import replace

import numpy as np

from glam.core.geometry import looking_at, rotation_z, six_from_rotation
from glam.data.carried_objects import HandPath
from glam.sim.embodiments.embodiment import POINTING_DOWN

CAMERAS = ((1.45, 0.0, 0.5), (1.05, 0.55, 0.78))
TARGET = np.array([0.45, 0.0, 0.08])


def seen(points, cameras=CAMERAS):
    """Places of points in two cameras. (T, 3) -> (T, 4)."""
    found = []
    for position in map(np.array, cameras):
        x, y, z = ((points - position) @ looking_at(position, TARGET)).T
        found += [-4.0 * x / z, 4.0 * y / z]
    return np.stack(found, axis=1)


def episode(seed, cameras=CAMERAS):
    """An approach, a grasp and a way with the object in the hand."""
    rng = np.random.default_rng(seed)
    goal, place = rng.uniform([0.34, -0.16, 0.02], [0.58, 0.16, 0.02], (2, 3))
    start = np.array([0.42, 0.0, 0.23]) + rng.uniform(-0.07, 0.07, 3)
    raised, above = goal + np.array([0.0, 0.0, 0.1]), place + np.array([0.0, 0.0, 0.05])
    legs = [(start, goal, 20), (goal, raised, 8), (raised, above, 20)]
    path = np.concatenate([a + (b - a) * np.linspace(0.0, 1.0, n, endpoint=False)[:, None] for a, b, n in legs])
    turn = rotation_z(rng.uniform(-0.2, 0.2)) @ POINTING_DOWN
    opening = np.where(np.arange(len(path)) < 20, 0.85, 0.4)[:, None]
    poses = np.concatenate([path, np.tile(six_from_rotation(turn), (len(path), 1)), opening], axis=1)
    carried = np.where(np.arange(len(path))[:, None] < 20, goal, path)
    shown = seen(carried + rng.normal(0, 5e-4, carried.shape), cameras)
    return HandPath(poses, np.stack([shown, np.full_like(shown, np.nan)], axis=1))


def measured(paths, tracker):
    return [
        replace(one, poses=tracker.measured(one.poses.astype(np.float32), n).astype(float))
        for n, one in enumerate(paths)
    ]


def target():
    """Episodes whose poses are right."""
    return [episode(seed) for seed in range(20)]


def others():
    """Episodes of another set, right as well."""
    return [episode(seed) for seed in range(100, 120)]
