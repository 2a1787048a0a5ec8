"""End-effector poses from numbers that a dataset holds: told in many ways, or found from joints."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.data.pose_recipe import Placement, RotationCode
from glam.interop.imports.orientations import quaternions_from_six, quaternions_from_vectors, unit_quaternions
from glam.interop.lerobot.features import Entry

Array = NDArray[np.float64]

LARGEST_ANGLE = 4.0 * np.pi
"""Two turns; a joint or an Euler angle beyond is not in rad."""
SIZES: dict[RotationCode, int] = {
    "quaternion-xyzw": 4,
    "quaternion-wxyz": 4,
    "rotation-vector": 3,
    "roll-pitch-yaw": 3,
    "six": 6,
    "matrix": 9,
}


class Kinematics(Protocol):
    """A robot's arm, as `glam.sim.kinematics.Chain` reads it from a file."""

    @property
    def joints(self) -> tuple[str, ...]:
        """Names, base first."""

    @property
    def limits(self) -> Array:
        """(n, 2)."""

    @property
    def digest(self) -> str:
        """Identity of the model."""

    def poses(self, positions: Array) -> tuple[Array, Array]:
        """Place (T, 3) and rotation (T, 3, 3) of the tool at joint positions (T, n)."""


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


class Poses(NamedTuple):
    """Of one arm."""

    positions: Array  # (T, 3)
    quaternions: Array  # (T, 4), (x, y, z, w)


def from_numbers(code: RotationCode, numbers: Array, *, in_degrees: bool, where: str) -> Poses:
    """Poses that were recorded: position and a rotation written as `code`, (T, n)."""
    return Poses(numbers[:, :3], quaternions_from(code, numbers[:, 3:], in_degrees=in_degrees, where=where))


def from_joints(chain: Kinematics, numbers: Array, *, in_degrees: bool, where: str) -> Poses:
    """Poses that follow from joints, (T, n)."""
    angles = _checked(np.radians(numbers) if in_degrees else numbers, "joints", where)
    places, rotations = chain.poses(angles)
    return Poses(places, quaternions_from_six(_six(rotations.reshape(-1, 9)), where))


def placed(poses: Poses, base: Placement, tool: Placement) -> Poses:
    """The pose of another point of the tool, in another frame."""
    at_base, at_tool = _transform(base), _transform(tool)
    offset = poses.positions + _turned(poses.quaternions, at_tool.positions)
    rotation = _product(poses.quaternions, at_tool.quaternions)
    return Poses(at_base.positions + _turned(at_base.quaternions, offset), _product(at_base.quaternions, rotation))


def quaternions_from(code: RotationCode, numbers: Array, *, in_degrees: bool, where: str) -> Array:
    """(T, 4), (x, y, z, w), of rotations written as `code`."""
    if code == "quaternion-xyzw":
        return unit_quaternions(numbers, where)
    if code == "quaternion-wxyz":
        return unit_quaternions(np.roll(numbers, -1, axis=1), where)
    if code == "six":
        return quaternions_from_six(numbers, where)
    if code == "matrix":
        return quaternions_from_six(_six(numbers), where)
    angles = np.radians(numbers) if in_degrees else numbers
    if code == "rotation-vector":
        return quaternions_from_vectors(angles, where)
    return _from_euler(_checked(angles, "roll, pitch, yaw", where))


def outside(tool: Measured | Computed, numbers: Sequence[Array], *, in_degrees: bool) -> str:
    """The joint that is most often beyond the limits of its model, if that is often; else nothing."""
    if not isinstance(tool, Computed):
        return ""
    every = np.concatenate(list(numbers))
    angles = np.radians(every) if in_degrees else every
    low, high = tool.chain.limits.T
    shares = ((angles < low - 0.1) | (angles > high + 0.1)).mean(axis=0)
    return tool.chain.joints[int(shares.argmax())] if shares.max() > 0.05 else ""


def _checked(angles: Array, what: str, where: str) -> Array:
    wrong = np.argwhere(~(np.abs(angles) < LARGEST_ANGLE))
    if len(wrong):
        raise GlamError(f"{where}: {what} beyond two turns in frame {wrong[0, 0]}; say --angles degrees if they are")
    return angles


def _six(matrices: Array) -> Array:
    """First two columns of matrices that are written row after row. (T, 9) -> (T, 6)."""
    six: Array = matrices[:, [0, 3, 6, 1, 4, 7]]
    return six


def _from_euler(angles: Array) -> Array:
    """Roll about x, then pitch about y, then yaw about z, all of the fixed frame. (T, 3) -> (T, 4)."""
    roll, pitch, yaw = (_about(axis, angles[:, axis]) for axis in range(3))
    return _product(yaw, _product(pitch, roll))


def _about(axis: int, angle: Array) -> Array:
    quaternions = np.zeros((len(angle), 4))
    quaternions[:, axis], quaternions[:, 3] = np.sin(angle / 2.0), np.cos(angle / 2.0)
    return quaternions


def _transform(place: Placement) -> Poses:
    return Poses(np.array([place[:3]]), _from_euler(np.radians([place[3:]])))


def _product(first: Array, second: Array) -> Array:
    """Of quaternions, (T, 4) each or one for all."""
    u, v = first[:, :3], second[:, :3]
    a, b = first[:, 3:], second[:, 3:]
    return np.concatenate([a * v + b * u + np.cross(u, v), a * b - (u * v).sum(1, keepdims=True)], axis=1)


def _turned(quaternions: Array, vectors: Array) -> Array:
    u, w = quaternions[:, :3], quaternions[:, 3:]
    twice = 2.0 * np.cross(u, vectors)
    turned: Array = vectors + w * twice + np.cross(u, twice)
    return turned
