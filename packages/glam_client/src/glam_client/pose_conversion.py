"""End-effector poses from recorded numbers, in any of the usual rotation codes, or from joints, by a stored recipe.

`glam data adopt` stores the recipe in the dataset, a policy keeps it in its run, and `glam serve` sends it to robots:
so a robot computes its poses live as those of the dataset were.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from glam_client.configs import from_json
from glam_client.errors import GlamError
from glam_client.orientations import quaternions_from_six, quaternions_from_vectors, unit_quaternions

FROM_JOINTS: Final = "joints"
KEY = "poses"
"""Entry of the config in the description of a dataset."""

Number = tuple[str, int]
"""One of the numbers that a robot measures: its feature, and its index in the feature."""
RotationCode = Literal["quaternion-xyzw", "quaternion-wxyz", "rotation-vector", "roll-pitch-yaw", "six", "matrix"]
PoseCode = Literal[RotationCode, "joints"]
Placement = tuple[float, float, float, float, float, float]
"""x, y, z in metres, then roll, pitch and yaw in degrees."""
IN_PLACE: Placement = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class ArmRecipe:
    """Recipe for the pose of one arm."""

    name: str
    numbers: tuple[Number, ...]
    """Position and rotation; or joints, base first."""
    code: PoseCode
    """Code of the rotation; `FROM_JOINTS` if the numbers are joints."""
    model: str = ""
    """Kinematic model that computes the pose from joints: sha256 of its file, and the tool frame."""
    gripper: tuple[Number, ...] = ()
    """One number, or two (one per finger); empty if the opening is unknown."""
    closed: float = 0.0
    """Reading of a closed gripper."""
    opened: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a gripper that reads the same when open and closed."""
        if self.closed == self.opened:
            raise GlamError(f"pose of {self.name}: its gripper reads {self.closed:g} both closed and open")


@dataclass(frozen=True)
class PoseRecipe:
    """From robot readings to `observation.ee_pose`; without arms the recipe is unknown."""

    features: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Readings that are needed: by feature, the names of its numbers in order."""
    arms: tuple[ArmRecipe, ...] = ()
    """In the order of `observation.ee_pose`."""
    angles: Literal["radians", "degrees"] = "radians"
    lengths: Literal["metres", "millimetres"] = "metres"
    base: Placement = IN_PLACE
    """Pose of the readings' base frame in the world frame."""
    tool: Placement = IN_PLACE
    """Pose of the common tool point in the tool frame of the readings."""

    def __post_init__(self) -> None:
        """Refuse numbers that are not among the features."""
        for arm in self.arms:
            for feature, place in (*arm.numbers, *arm.gripper):
                if not 0 <= place < len(self.features.get(feature, ())):
                    raise GlamError(f"pose of {arm.name}: {feature} has no number {place}")


def recipe_in(provenance: Mapping[str, Any]) -> PoseRecipe:
    """The recipe in a dataset's manifest; one without arms if there is none."""
    config = provenance.get("description", {}).get("config", {})
    return from_json(PoseRecipe, config.get(KEY, {}))


Array = NDArray[np.float64]

FARTHEST = 100.0
"""Metres; beyond any room."""
LARGEST_ANGLE = 4.0 * np.pi
"""Two turns; a larger joint or Euler angle is not in rad."""
SIZES: dict[RotationCode, int] = {
    "quaternion-xyzw": 4,
    "quaternion-wxyz": 4,
    "rotation-vector": 3,
    "roll-pitch-yaw": 3,
    "six": 6,
    "matrix": 9,
}


class Kinematics(Protocol):
    """Kinematic model of an arm, as `glam.sim.kinematics.Chain` reads it from a file."""

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


class Poses(NamedTuple):
    """Poses of one arm over time."""

    positions: Array  # (T, 3)
    quaternions: Array  # (T, 4), (x, y, z, w)


def from_numbers(code: RotationCode, numbers: Array, *, in_degrees: bool, where: str) -> Poses:
    """Poses from recorded numbers, (T, n): a position, then a rotation in `code`."""
    return Poses(numbers[:, :3], quaternions_from(code, numbers[:, 3:], in_degrees=in_degrees, where=where))


def from_joints(chain: Kinematics, numbers: Array, *, in_degrees: bool, where: str) -> Poses:
    """Poses from joint positions, (T, n), by forward kinematics."""
    angles = _checked(np.radians(numbers) if in_degrees else numbers, "joints", where)
    places, rotations = chain.poses(angles)
    return Poses(places, quaternions_from_six(_six(rotations.reshape(-1, 9)), where))


def placed(poses: Poses, base: Placement, tool: Placement) -> Poses:
    """Poses of another tool point in another base frame: base x pose x tool."""
    at_base, at_tool = _transform(base), _transform(tool)
    offset = poses.positions + _turned(poses.quaternions, at_tool.positions)
    rotation = _product(poses.quaternions, at_tool.quaternions)
    return Poses(at_base.positions + _turned(at_base.quaternions, offset), _product(at_base.quaternions, rotation))


def placed_at(place: Placement) -> tuple[Array, Array]:
    """Position (3,) and rotation matrix (3, 3) of a placement."""
    found = _transform(place)
    return found.positions[0], _turned(np.repeat(found.quaternions, 3, axis=0), np.identity(3)).T


def quaternions_from(code: RotationCode, numbers: Array, *, in_degrees: bool, where: str) -> Array:
    """Quaternions (x, y, z, w) of rotations in `code`. (T, n) -> (T, 4)."""
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


def checked_positions(positions: Array, where: str) -> Array:
    """Refuse positions that cannot be metres within a room."""
    wrong = np.argwhere(~(np.abs(positions) < FARTHEST))
    if len(wrong):
        raise GlamError(f"{where}: the position of frame {wrong[0, 0]} is not within {FARTHEST:g} m; is it in metres?")
    return positions


def opened_shares(reading: Array, closed: float, opened: float) -> Array:
    """Gripper opening from 0 to 1, from its readings."""
    return np.clip((reading - closed) / (opened - closed), 0.0, 1.0)


def _checked(angles: Array, what: str, where: str) -> Array:
    wrong = np.argwhere(~(np.abs(angles) < LARGEST_ANGLE))
    if len(wrong):
        raise GlamError(f"{where}: {what} beyond two turns in frame {wrong[0, 0]}; say --angles degrees if they are")
    return angles


def _six(matrices: Array) -> Array:
    """First two columns of matrices that are written row after row. (T, 9) -> (T, 6)."""
    return matrices[:, [0, 3, 6, 1, 4, 7]]


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
    """Products of quaternions, (T, 4) each or one for all."""
    u, v = first[:, :3], second[:, :3]
    a, b = first[:, 3:], second[:, 3:]
    return np.concatenate([a * v + b * u + np.cross(u, v), a * b - (u * v).sum(1, keepdims=True)], axis=1)


def _turned(quaternions: Array, vectors: Array) -> Array:
    u, w = quaternions[:, :3], quaternions[:, 3:]
    twice = 2.0 * np.cross(u, vectors)
    return vectors + w * twice + np.cross(u, twice)
