"""Live end-effector poses, computed exactly as `glam data adopt` computed those of the dataset.

    live = LivePose(client.interface.poses)
    pose = live({"observation.state": joints})    # as a row of `observation.ee_pose`

Needs numpy alone, unless poses are computed from joints: then `glam.sim.kinematics` (with MuJoCo) reads the model.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from glam_client.errors import GlamError
from glam_client.orientations import pose_rows
from glam_client.pose_conversion import (
    FROM_JOINTS,
    SIZES,
    ArmRecipe,
    Array,
    Kinematics,
    Number,
    PoseRecipe,
    checked_positions,
    from_joints,
    from_numbers,
    opened_shares,
    placed,
)

_WHERE = "the robot's readings"
_NO_RECIPE = (
    "nobody knows how the poses of the training data were made: only datasets of glam data adopt and convert tell; "
    "compute observation.ee_pose yourself as in that data, and give a policy without poses (pose_size 0) an empty array"
)


class ArmPath(NamedTuple):
    """Poses of one arm over time."""

    positions: Array  # (T, 3)
    quaternions: Array  # (T, 4), (x, y, z, w)
    openings: Array  # (T,)


class LivePose:
    """Computes poses by the recipe of a dataset, a policy (`interface.poses`) or a server (the same)."""

    def __init__(self, recipe: PoseRecipe, chains: Iterable[Kinematics] = ()) -> None:
        """Check that everything is at hand.

        Args:
            recipe: of a dataset that `glam data adopt` or `convert` made; one without arms cannot make a pose.
            chains: kinematic models for poses from joints: `glam.sim.kinematics.Chain.open(FILE, FRAME)` of the file
                that the dataset was adopted with.
        """
        self.recipe = recipe
        """`recipe.features` lists the readings that are needed."""
        self._chains = {chain.digest: chain for chain in chains}
        for arm in recipe.arms:
            self._require_known(arm)

    def __call__(self, readings: Mapping[str, ArrayLike]) -> NDArray[np.float32]:
        """Pose, (10 K,), of the present readings: all numbers of each feature, in order and units of the dataset."""
        if not self.recipe.arms:
            raise GlamError(_NO_RECIPE)
        read = {feature: self._read(feature, readings) for feature in self.recipe.features}
        numbers = {(name, place): row[place, None] for name, row in read.items() for place in range(len(row))}
        arms = list(self.paths(numbers, _WHERE))
        positions, quaternions, openings = (np.stack(part, axis=1) for part in zip(*arms, strict=True))
        return pose_rows(positions, quaternions, openings)[0].astype(np.float32)

    def paths(self, numbers: Mapping[Number, Array], where: str) -> Iterator[ArmPath]:
        """Path of each arm from its numbers, (T,) each; errors begin with `where`."""
        recipe, in_degrees = self.recipe, self.recipe.angles == "degrees"
        for arm in recipe.arms:
            values = np.column_stack([numbers[number] for number in arm.numbers])
            if arm.code == FROM_JOINTS:
                poses = from_joints(self._chains[arm.model], values, in_degrees=in_degrees, where=where)
            else:
                values[:, :3] /= 1000.0 if recipe.lengths == "millimetres" else 1.0
                poses = from_numbers(arm.code, values, in_degrees=in_degrees, where=where)
            positions, quaternions = placed(poses, recipe.base, recipe.tool)
            yield ArmPath(checked_positions(positions, where), quaternions, _openings(arm, numbers, len(values)))

    def _require_known(self, arm: ArmRecipe) -> None:
        if arm.code == FROM_JOINTS:
            if arm.model not in self._chains:
                digest, _, frame = arm.model.partition(" ")
                remedy = f"give Chain.open(FILE, {frame!r}) of the file whose sha256 is {digest}"
                raise GlamError(f"the pose of {arm.name} is computed from joints; {remedy}")
        elif len(arm.numbers) != 3 + SIZES[arm.code]:
            raise GlamError(f"pose of {arm.name}: {len(arm.numbers)} numbers do not make a position with a {arm.code}")

    def _read(self, feature: str, readings: Mapping[str, ArrayLike]) -> Array:
        names = self.recipe.features[feature]
        row = np.asarray(readings.get(feature, ()), np.float64)
        if row.shape != (len(names),) or not np.isfinite(row).all():
            raise GlamError(f"{_WHERE}: {feature} must be {len(names)} finite numbers: {', '.join(names)}")
        return row


def gripper_readings(numbers: Array) -> Array:
    """Gripper reading, (T,), from one number or one per finger, (T, n)."""
    return np.abs(numbers).sum(1) if numbers.shape[1] > 1 else numbers[:, 0]


def _openings(arm: ArmRecipe, numbers: Mapping[Number, Array], length: int) -> Array:
    if not arm.gripper:
        return np.zeros(length)
    reading = gripper_readings(np.column_stack([numbers[number] for number in arm.gripper]))
    return opened_shares(reading, arm.closed, arm.opened)
