"""The joint paths by which a robot's hands would have gone where recorded hands went.

Nothing but geometry: servos, speeds and contacts are left to whoever turns a joint path into commands.
"""

import hashlib
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.geometry import rotation_from_six
from glam.data.schema import GRIPPER, POSE_SIZE
from glam.sim.embodiments import find_embodiment
from glam.sim.embodiments.embodiment import Vector
from glam.sim.embodiments.kinova import READY
from glam.sim.inverse_kinematics import InverseKinematics, SolverConfig
from glam.sim.scene import MOUNTS

POSTURES: dict[str, Vector] = {"kinova": READY, "kinova-lab": READY}
"""The robots whose arms are known, each with the posture that its inverse kinematics starts from and pulls to."""


class JointPath(NamedTuple):
    """One row for each pose of a path."""

    reached: NDArray[np.float32]
    """(T, n_a) in the order of the robot's actions: joint angles (rad) that hold the pose, and openings as recorded."""
    misses: NDArray[np.float32]
    """(T, 2): distance (m) and angle (rad) that the worst arm stays away from its pose."""


class Retargeter:
    """Inverse kinematics for all arms of a robot. The same path gives the same bits."""

    def __init__(self, robot: str, arms: tuple[str, ...]) -> None:
        if robot not in POSTURES:
            raise GlamError(f"no arm of a robot {robot!r} to retarget to; known are {', '.join(sorted(POSTURES))}")
        strangers = [arm for arm in arms if arm not in MOUNTS]
        if strangers:
            raise GlamError(f"no place is known for an arm {strangers[0]!r}; known are {', '.join(sorted(MOUNTS))}")
        self.robot = robot
        embodiment = find_embodiment(robot)
        model = _arms_alone(robot, arms)
        bound = [embodiment.bind_arm(model, arm) for arm in arms]
        self.action_names = tuple(name for arm in bound for name in arm.action_names)
        self.grippers = tuple((np.cumsum([len(arm.action_names) for arm in bound]) - 1).tolist())
        """Entries of an action that open and close a hand; all others are joint angles."""
        self.low, self.high = np.concatenate([arm.low for arm in bound]), np.concatenate([arm.high for arm in bound])
        """Limits of an action."""
        self._posture = POSTURES[robot]
        joints = [[name.removesuffix(".pos") for name in arm.action_names[:-1]] for arm in bound]
        self._solvers = [
            InverseKinematics(model, f"{arm}_tool", names, self._posture)
            for arm, names in zip(arms, joints, strict=True)
        ]
        self.fingerprint = _fingerprint(model, self._posture)
        """Changes with anything that a joint path depends on besides the poses."""

    def follow(self, poses: NDArray[np.float32]) -> JointPath:
        """Joint angles along one recorded path, each pose solved from the one before. (T, 10 K).

        A pose out of reach gets the nearest angles found, and shows in `misses`.
        """
        hands = np.split(poses.astype(np.float64), poses.shape[1] // POSE_SIZE, axis=1)
        parts = [self._follow(solver, hand) for solver, hand in zip(self._solvers, hands, strict=True)]
        reached = np.concatenate([part.reached for part in parts], axis=1)
        return JointPath(reached, np.max([part.misses for part in parts], axis=0))

    def _follow(self, solver: InverseKinematics, hand: Vector) -> JointPath:
        """One arm. (T, 10)."""
        angles, reached, misses = self._posture, [], []
        for pose, rotation in zip(hand, rotation_from_six(hand[:, 3:GRIPPER]), strict=True):
            angles = solver.solve(pose[:3], rotation, angles)
            reached.append(np.append(angles, pose[GRIPPER]))
            misses.append(solver.error(angles, pose[:3], rotation))
        return JointPath(np.array(reached, np.float32), np.array(misses, np.float32))


def _arms_alone(robot: str, arms: tuple[str, ...]) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    for arm in arms:
        find_embodiment(robot).add_arm(spec, MOUNTS[arm])
    return spec.compile()


def _fingerprint(model: mujoco.MjModel, posture: Vector) -> str:
    geometry = (model.body_pos, model.body_quat, model.jnt_axis, model.jnt_range, model.site_pos, model.site_quat)
    digest = hashlib.sha256(repr(SolverConfig()).encode())
    for array in (*geometry, posture):
        digest.update(array.tobytes())
    return digest.hexdigest()
