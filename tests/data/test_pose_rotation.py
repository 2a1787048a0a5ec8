"""Poses are turned as hands are."""

import numpy as np

from glam.core.geometry import rotation_from_six, rotation_from_vector, six_from_rotation
from glam.data.schema import rotated


def some_poses(arms: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    rotations = rotation_from_six(rng.normal(size=(5, arms, 6)))
    parts = [rng.normal(size=(5, arms, 3)), six_from_rotation(rotations), rng.random((5, arms, 1))]
    return np.concatenate(parts, axis=-1).reshape(5, -1).astype(np.float32)


def test_hands_are_turned_by_the_rotation_vector_of_each_arm() -> None:
    poses, vectors = some_poses(2), np.random.default_rng(1).normal(scale=0.01, size=(5, 2, 3))
    before, after = poses.reshape(5, 2, 10), rotated(poses, vectors).reshape(5, 2, 10)
    for frame in range(5):
        for arm in range(2):
            expected = rotation_from_vector(vectors[frame, arm]) @ rotation_from_six(before[frame, arm, 3:9])
            np.testing.assert_allclose(after[frame, arm, 3:9], six_from_rotation(expected), atol=5e-4)
    np.testing.assert_array_equal(after[..., [0, 1, 2, 9]], before[..., [0, 1, 2, 9]])


def test_poses_themselves_stay_as_they_are() -> None:
    poses = some_poses(1)
    before = poses.copy()
    assert not np.array_equal(rotated(poses, np.full((5, 1, 3), 0.1)), before)
    np.testing.assert_array_equal(poses, before)


def test_sets_without_poses_have_nothing_to_turn() -> None:
    assert rotated(np.zeros((5, 0), np.float32), np.zeros((5, 0, 3))).shape == (5, 0)
