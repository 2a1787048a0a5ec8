"""Sources of the end-effector pose in a foreign dataset: recorded numbers, or joints and a kinematic model."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from glam.interop.lerobot.entries import Entry
from glam_client.pose_conversion import Array, Kinematics, RotationCode


@dataclass(frozen=True)
class Measured:
    """A pose that was recorded."""

    position: tuple[Entry, ...]
    rotation: tuple[Entry, ...]
    code: RotationCode

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All that must be read."""
        return (*self.position, *self.rotation)


@dataclass(frozen=True)
class Computed:
    """A pose that follows from joints."""

    joints: tuple[Entry, ...]
    chain: Kinematics

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All that must be read."""
        return self.joints


def outside(tool: Measured | Computed, numbers: Sequence[Array], *, in_degrees: bool) -> str:
    """The joint that is most often beyond the limits of its model, if that is often; else nothing."""
    if not isinstance(tool, Computed):
        return ""
    every = np.concatenate(list(numbers))
    angles = np.radians(every) if in_degrees else every
    low, high = tool.chain.limits.T
    shares = ((angles < low - 0.1) | (angles > high + 0.1)).mean(axis=0)
    return tool.chain.joints[int(shares.argmax())] if shares.max() > 0.05 else ""
