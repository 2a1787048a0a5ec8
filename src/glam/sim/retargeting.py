"""Retargeting: joint paths that take a robot's grippers along recorded end-effector paths.

This is geometry alone. Servos, speeds and contacts come in when a joint path is turned into commands.
"""

import hashlib
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.geometry import rotation_from_six
from glam.data.schema import GRIPPER, POSE_SIZE
from glam.sim.embodiments import EMBODIMENTS
from glam.sim.embodiments.embodiment import Embodiment, Vector
from glam.sim.inverse_kinematics import InverseKinematics, SolverConfig
from glam.sim.scene import mounts_of


class JointPath(NamedTuple):
    """Joint angles along a path, one row for each pose."""

    reached: NDArray[np.float32]
    """(T, n_a) in the order of the robot's actions: joint angles (rad) at the pose, and openings as recorded."""
    misses: NDArray[np.float32]
    """(T, 2): position error (m) and rotation error (rad) of the worst arm."""


class Retargeter:
    """Inverse kinematics for all arms of a robot. The same path gives the same bits."""

    def __init__(self, robot: str, arms: tuple[str, ...]) -> None:
        known = [name for name, embodiment in EMBODIMENTS.items() if embodiment.posture]
        if robot not in known:
            raise GlamError(f"no arm of a robot {robot!r} to retarget to; known are {', '.join(sorted(known))}")
        self.robot = robot
        embodiment = EMBODIMENTS[robot]
        model = _arms_alone(embodiment, arms)
        bound = [embodiment.bind_arm(model, arm) for arm in arms]
        self.action_names = tuple(name for arm in bound for name in arm.action_names)
        self.grippers = tuple((np.cumsum([len(arm.action_names) for arm in bound]) - 1).tolist())
        """Entries of an action that command a gripper; all others are joint angles."""
        self.low, self.high = np.concatenate([arm.low for arm in bound]), np.concatenate([arm.high for arm in bound])
        """Limits of an action."""
        self._posture = np.array(embodiment.posture)
        joints = [[name.removesuffix(".pos") for name in arm.action_names[:-1]] for arm in bound]
        self._solvers = [
            InverseKinematics(model, f"{arm}_tool", names, self._posture)
            for arm, names in zip(arms, joints, strict=True)
        ]
        self.fingerprint = _fingerprint(model, self._posture)
        """Digest of everything but the poses that a joint path depends on."""

    def follow(self, poses: NDArray[np.float32]) -> JointPath:
        """Joint angles along one recorded path (T, 10 K), each pose solved from the one before.

        A pose out of reach gets the nearest angles found; `misses` says how far off they are.
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


def _arms_alone(embodiment: Embodiment, arms: tuple[str, ...]) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    for mount in mounts_of(embodiment, arms):
        embodiment.add_arm(spec, mount)
    return spec.compile()


def _fingerprint(model: mujoco.MjModel, posture: Vector) -> str:
    geometry = (model.body_pos, model.body_quat, model.jnt_axis, model.jnt_range, model.site_pos, model.site_quat)
    digest = hashlib.sha256(repr(SolverConfig()).encode())
    for array in (*geometry, posture):
        digest.update(array.tobytes())
    return digest.hexdigest()
