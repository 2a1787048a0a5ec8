"""Retargeting: actions of the target robot for the end-effector paths of auxiliary datasets.

Inverse kinematics gives the joint angles at every pose. A command law, fitted to the labelled episodes of the target,
turns joint angles into commands. For actions that say by how much to move see `retarget_by_steps`. The error of such
labels is measured on held-out episodes of the target. Torques cannot be had: they follow from forces, not from a path.
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.core.workers import Progress
from glam.data import normalizer
from glam.data.cache import JointPaths
from glam.data.schema import ACTION, GRIPPER, POSE_SIZE
from glam.data.windows import Frames, transitions
from glam.policies import command_law
from glam.policies.command_law import CommandLaw, moves
from glam.policies.sources import LabelledPolicySource, PolicySource
from glam.stages.retarget_by_steps import by_steps
from glam.stages.retargeted import (
    FARTHEST_DEGREES,
    FARTHEST_MM,
    FEW,
    LabelQuality,
    Retargeted,
    Retargeting,
    joint_paths,
    within_reach,
)
from glam.stages.target_robot import RobotModel, RobotRetargeter, retargeter_of

_LOG = logging.getLogger(__name__)


def retarget(
    root: Path,
    target: LabelledPolicySource,
    auxiliary: Sequence[PolicySource],
    progress: Progress,
    model: RobotModel | None = None,
) -> Retargeting:
    """Label auxiliary sources with actions of the robot that recorded the target dataset in the folder `root`.

    A robot that we do not know needs a `model`, unless its actions are steps of the tool.
    """
    _require_path_actions(root, target.frames.schema.action_names)
    for other in auxiliary:
        _require_alike(target, other)
    if target.frames.schema.delta_actions:
        return by_steps(root, target, auxiliary, progress, model)
    robot = retargeter_of(root, target.frames, model)
    paths = joint_paths(robot, [target.frames, *(other.frames for other in auxiliary)], progress)
    known = target.frames
    law = command_law.fit(paths[0].reached, known.action, known.episodes, target.train, robot.grippers)
    quality = _quality(robot, target, law, paths[0])
    if quality.normalized > FEW:
        _LOG.warning(
            "%s: labels made from its own paths differ from its actions by %.1f degrees on average",
            root,
            quality.degrees,
        )
    sources = tuple(_retargeted(robot, law, *pair) for pair in zip(auxiliary, paths[1:], strict=True))
    return Retargeting(sources, _report(robot, law, quality, sources))


def _commands(robot: RobotRetargeter, law: CommandLaw, frames: Frames, paths: JointPaths) -> NDArray[np.float32]:
    commands = np.clip(law.commands(paths.reached, frames.episodes), robot.low, robot.high)
    return commands.astype(np.float32)


def _quality(robot: RobotRetargeter, target: LabelledPolicySource, law: CommandLaw, paths: JointPaths) -> LabelQuality:
    frames, indices = target.frames, transitions(target.frames.episodes)
    held_out = indices[np.isin(indices, target.split.held_out.frame_indices)]
    wrong = (_commands(robot, law, frames, paths) - frames.action)[held_out]
    deviation = normalizer.fit(ACTION, [frames.action[target.train.frame_indices]]).std
    is_gripper = np.isin(np.arange(wrong.shape[1]), robot.grippers)
    return LabelQuality(
        normalized=float(((wrong / deviation) ** 2).mean()),
        degrees=float(np.degrees(np.abs(wrong[:, ~is_gripper]).mean())),
        gripper=float(np.abs(wrong[:, is_gripper]).mean()),
    )


def _retargeted(robot: RobotRetargeter, law: CommandLaw, source: PolicySource, paths: JointPaths) -> Retargeted:
    kept, outcome = within_reach(source, robot, paths)
    return Retargeted(kept, _commands(robot, law, source.frames, paths), outcome)


def _require_path_actions(root: Path, names: Sequence[str]) -> None:
    """Refuse torques."""
    forces = [name for name in names if any(word in name.lower() for word in ("torque", "effort"))]
    if forces:
        raise GlamError(
            f"{root}: its actions are torques ({forces[0]}), which no path of a hand tells, so retarget cannot run; "
            "train latent, which learns from any actions"
        )


def _require_alike(target: PolicySource, other: PolicySource) -> None:
    ours, theirs = target.frames, other.frames
    for what in ("fps", "cameras", "arms", "objects"):
        mine, its = getattr(ours.schema, what), getattr(theirs.schema, what)
        if mine != its:
            raise GlamError(f"{other.name}: {what} is {its}, but the target {target.name} has {mine}")
    for hand, arm in enumerate(ours.schema.arms):
        column = POSE_SIZE * hand + GRIPPER
        if moves(ours.ee_pose[:, column]) and not moves(theirs.ee_pose[:, column]):
            problem = f"the gripper of {arm} never moves, so no label says when the robot should grip"
            raise GlamError(f"{other.name}: {problem}; record its opening in observation.ee_pose")


def _report(
    robot: RobotRetargeter, law: CommandLaw, quality: LabelQuality, sources: Sequence[Retargeted]
) -> dict[str, Any]:
    return {
        "robot": robot.robot,
        "lead": law.lead,
        "lag": dict(zip(robot.action_names, law.lag.tolist(), strict=True)),
        "held_out_target": to_json(quality),
        "limits": {"millimetres": FARTHEST_MM, "degrees": FARTHEST_DEGREES},
        "auxiliary": [to_json(source.outcome) for source in sources],
    }
