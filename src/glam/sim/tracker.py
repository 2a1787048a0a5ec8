"""A simulated pose tracker: end-effector poses with a calibration error, drawn anew for every episode."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.geometry import rotation_from_six, rotation_from_vector, six_from_rotation
from glam.data.schema import POSE_SIZE


@dataclass(frozen=True)
class Tracker:
    """Errors of the measured poses; none by default."""

    position_error_mm: float = 0.0
    """Length of the shift that all poses of an episode share; its direction is random."""
    angle_error_degrees: float = 0.0
    """Angle of the turn that all poses of an episode share, about where the episode begins and a random axis."""
    sees_gripper: bool = True
    """The opening of the gripper is measured; otherwise it is recorded as 0."""

    def __post_init__(self) -> None:
        """Refuse errors out of range."""
        if not 0.0 <= self.position_error_mm < math.inf:
            raise GlamError(f"--pose-error-mm {self.position_error_mm} must be at least 0")
        if not 0.0 <= self.angle_error_degrees <= 180.0:
            raise GlamError(f"--pose-error-degrees {self.angle_error_degrees} must lie between 0 and 180")

    def measured(self, poses: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
        """Poses (T, 10 per arm) as measured in the episode of `seed`; each arm has an error of its own."""
        if self == PERFECT_TRACKER:
            return poses
        rng = np.random.default_rng([seed, 7])  # not the stream of the scene, which starts from the seed alone
        arms = np.split(poses, poses.shape[1] // POSE_SIZE, axis=1)
        return np.concatenate([self._arm(arm, rng) for arm in arms], axis=1).astype(np.float32)

    def _arm(self, poses: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float64]:
        position, rotation = poses[:, :3].astype(np.float64), rotation_from_six(poses[:, 3:9].astype(np.float64))
        shift = self.position_error_mm / 1000.0 * _direction(rng)
        turn = rotation_from_vector(math.radians(self.angle_error_degrees) * _direction(rng))
        start = position[:1]
        moved = (position - start) @ turn.T + start + shift
        opening = poses[:, 9:] if self.sees_gripper else np.zeros_like(poses[:, 9:])
        return np.concatenate([moved, six_from_rotation(turn @ rotation), opening], axis=1)


PERFECT_TRACKER = Tracker()


def _direction(rng: np.random.Generator) -> NDArray[np.float64]:
    drawn = rng.standard_normal(3)
    unit: NDArray[np.float64] = drawn / np.linalg.norm(drawn)
    return unit
