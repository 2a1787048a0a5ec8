"""Retargeting: joint paths that take a robot's grippers along recorded end-effector paths.

This is geometry alone. Servos, speeds and contacts come in when a joint path is turned into commands.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.geometry import rotation_from_six, six_from_rotation
from glam.data.schema import GRIPPER, POSE_SIZE
from glam.sim.embodiments import EMBODIMENTS
from glam.sim.embodiments.embodiment import Embodiment, Vector
from glam.sim.inverse_kinematics import InverseKinematics, SolverConfig
from glam.sim.kinematics import POSE_JOINTS, Chain
from glam.sim.scene import mounts_of

Transform = tuple[Vector, NDArray[np.float64]]
"""Place (3,) and rotation (3, 3)."""


class JointPath(NamedTuple):
    """Joint angles along a path, one row for each pose."""

    reached: NDArray[np.float32]
    """(T, n_a) in the order of the robot's actions: joint angles (rad) at the pose, and openings as recorded."""
    misses: NDArray[np.float32]
    """(T, 2): position error (m) and rotation error (rad) of the worst arm."""


class Retargeter:
    """Inverse kinematics for all arms of a robot. The same path gives the same bits."""

    def __init__(self, robot: str, arms: tuple[str, ...]) -> None:
        if robot not in self.known():
            raise GlamError(f"no arm of a robot {robot!r} to retarget to; known are {', '.join(self.known())}")
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

    @staticmethod
    def known() -> tuple[str, ...]:
        """Robots with an arm."""
        return tuple(sorted(name for name, embodiment in EMBODIMENTS.items() if embodiment.posture))

    def tools(self, actions: NDArray[np.float32]) -> Vector:
        """Places of all tools at rest at the joint targets of some actions. (N, n_a) -> (N, K, 3)."""
        joints = np.split(actions.astype(np.float64), np.array(self.grippers) + 1, axis=1)[: len(self._solvers)]
        pairs = list(zip(self._solvers, joints, strict=True))
        return np.array([[solver.place(part[row, :-1]) for solver, part in pairs] for row in range(len(actions))])

    def follow(self, poses: NDArray[np.float32]) -> JointPath:
        """Joint angles along one recorded path (T, 10 K), each pose solved from the one before.

        A pose out of reach gets the nearest angles found; `misses` says how far off they are.
        """
        hands = np.split(poses.astype(np.float64), poses.shape[1] // POSE_SIZE, axis=1)
        parts = [_followed(solver, self._posture, hand) for solver, hand in zip(self._solvers, hands, strict=True)]
        reached = np.concatenate([np.column_stack(part[:2]) for part in parts], axis=1)
        return JointPath(reached.astype(np.float32), np.max([part[2] for part in parts], axis=0).astype(np.float32))


@dataclass(frozen=True, eq=False)
class ArmModel:
    """One arm of a robot that is given as a URDF or MJCF."""

    chain: Chain
    joints: tuple[int, ...]
    """Entries of an action that are its joints, base first."""
    grippers: tuple[int, ...]
    """Entries of an action that command its gripper; one or none."""
    posture: Vector
    """Joint positions that the solver starts from and stays near."""


class ModelRetargeter:
    """Inverse kinematics for the arms of any robot, as `Retargeter` for the known ones."""

    def __init__(
        self, action_names: tuple[str, ...], arms: Sequence[ArmModel], frame: tuple[Transform, Transform], unit: float
    ) -> None:
        """Bind to the arms in the order of the poses.

        Args:
            action_names: entries of an action.
            arms: models of the arms, and where they are found in an action.
            frame: pose of the models' base in the world frame, and of the tool point in the tool frame.
            unit: of the actions' angles, in radians; slides are in metres.
        """
        self.robot, self.action_names = "model", action_names
        self.grippers = tuple(entry for arm in arms for entry in arm.grippers)
        self._arms, self._frame = arms, frame
        self._scales = [np.where(arm.chain.is_turning, unit, 1.0) for arm in arms]
        self.low, self.high = np.full(len(action_names), -np.inf), np.full(len(action_names), np.inf)
        for arm, scale in zip(arms, self._scales, strict=True):
            self.low[list(arm.joints)], self.high[list(arm.joints)] = arm.chain.limits.T / scale
        parts = [repr((SolverConfig(), unit, [part.tolist() for place in frame for part in place]))]
        parts += [repr((arm.chain.digest, arm.joints, arm.grippers, arm.posture.tolist())) for arm in arms]
        self.fingerprint = hashlib.sha256("".join(parts).encode()).hexdigest()

    def follow(self, poses: NDArray[np.float32]) -> JointPath:
        """Joint positions along one recorded path (T, 10 K), in the units and the order of actions."""
        reached, misses = np.empty((len(poses), len(self.low)), np.float32), []
        for number, (arm, scale) in enumerate(zip(self._arms, self._scales, strict=True)):
            hand = self._in_model(poses[:, POSE_SIZE * number : POSE_SIZE * (number + 1)].astype(np.float64))
            angles, opening, missed = _followed(arm.chain.solver(arm.posture), arm.posture, hand)
            reached[:, list(arm.joints)] = angles / scale
            reached[:, list(arm.grippers)] = opening[:, None]
            if len(arm.joints) < POSE_JOINTS:
                missed[:, 1] = 0.0
            misses.append(missed)
        return JointPath(reached, np.max(misses, axis=0).astype(np.float32))

    def poses(self, arm: int, joints: Vector) -> tuple[Vector, Vector]:
        """Places (T, 3) and rotations (T, 3, 3) of the tool point in the world frame, at joints as in an action."""
        (base, turn), (tool, twist) = self._frame
        places, rotations = self._arms[arm].chain.poses(joints * self._scales[arm])
        return base + (places + rotations @ tool) @ turn.T, turn @ rotations @ twist

    def _in_model(self, hand: Vector) -> Vector:
        """Poses of the model's tool frame in its own base frame. (T, 10)."""
        (base, turn), (tool, twist) = self._frame
        rotations = turn.T @ rotation_from_six(hand[:, 3:GRIPPER]) @ twist.T
        places = (hand[:, :3] - base) @ turn - rotations @ tool
        return np.concatenate([places, six_from_rotation(rotations), hand[:, GRIPPER:]], axis=1)


def _followed(solver: InverseKinematics, posture: Vector, hand: Vector) -> tuple[Vector, Vector, Vector]:
    """Joints (T, n), opening (T,) and misses (T, 2) of one arm along its path, (T, 10)."""
    angles, reached, misses = posture, [], []
    for pose, rotation in zip(hand, rotation_from_six(hand[:, 3:GRIPPER]), strict=True):
        angles = solver.solve(pose[:3], rotation, angles)
        reached.append(angles)
        misses.append(solver.error(angles, pose[:3], rotation))
    return np.array(reached), hand[:, GRIPPER], np.array(misses)


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
