"""End-effector poses as numbers: 10 for each arm, see `schema.POSE_NAMES`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.data.schema import POSE_SIZE

_COLUMNS = (slice(3, 6), slice(6, 9))
"""Entries of the two columns of the rotation matrix."""


def rotated(poses: NDArray[np.float32], vectors: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Poses with rotations turned by small rotation vectors, to first order. (..., 10 K), (..., K, 3)."""
    arms = poses.reshape(*vectors.shape[:-1], POSE_SIZE).copy()
    for column in _COLUMNS:
        arms[..., column] += np.cross(vectors, arms[..., column])
    return arms.reshape(poses.shape)
