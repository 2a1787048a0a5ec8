"""Retargeting to actions that say by how much to move: steps of the tool, or of the joints along a path.

Steps of the tool need no kinematics. Joint velocities are steps of the joint path that inverse kinematics finds. Which
entries are what, in which order and scale, is fitted to the labelled episodes.
"""

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.core.workers import Progress
from glam.data import normalizer
from glam.data.cache import JointPaths
from glam.data.schema import ACTION, GRIPPER, POSE_SIZE
from glam.data.windows import Frames, transitions
from glam.policies import delta_law
from glam.policies.delta_law import Conventions, DeltaLaw
from glam.policies.sources import LabelledPolicySource, PolicySource
from glam.stages.retargeted import (
    FEW,
    DeltaQuality,
    Reach,
    Retargeted,
    Retargeting,
    ShortenedSteps,
    joint_paths,
    within_reach,
)
from glam.stages.target_robot import RobotModel, RobotRetargeter, retargeter_of_velocities

_LOG = logging.getLogger(__name__)

_JOINTS = "joints"
"""Convention of steps along a joint path."""


def by_steps(
    root: Path,
    target: LabelledPolicySource,
    auxiliary: Sequence[PolicySource],
    progress: Progress,
    model: RobotModel | None,
) -> Retargeting:
    """Delta actions for the steps of paths, in the convention that the labelled episodes follow."""
    if model is not None:
        raise GlamError(f"{root}: its actions are deltas, which need no model of the robot; leave --kinematics out")
    frames, others = target.frames, list(auxiliary)
    steps = [delta_law.pose_steps(source.frames.ee_pose, frames.schema.arms) for source in (target, *others)]
    robot, reached = retargeter_of_velocities(root, frames), dict[int, Reach]()
    if robot is not None:
        paths = joint_paths(robot, [frames, *(other.frames for other in others)], progress)
        steps = [own | {_JOINTS: _joint_steps(robot, path)} for own, path in zip(steps, paths, strict=True)]
        for number, (other, path) in enumerate(zip(auxiliary, paths[1:], strict=True)):
            others[number], reached[number] = within_reach(other, robot, path)
    law = delta_law.fit(steps[0], _openings(frames, frames), frames.action, frames.episodes, target.train)
    quality = _delta_quality(target, law, steps[0])
    if quality.normalized > FEW:
        _LOG.warning(
            "%s: steps between its own poses explain all but %.0f %% of the variance of its delta actions",
            *(root, 100.0 * quality.normalized),
        )
    sources = tuple(_stepped(target, law, *pair) for pair in zip(others, steps[1:], strict=True))
    names = frames.schema.action_names
    report = {
        "convention": law.convention,
        "lead": law.lead,
        "entries": {names[entry]: one.group for entry, one in law.entries.items()},
        "held_out_target": to_json(quality),
        "auxiliary": [to_json(source.outcome) for source in sources],
    }
    within = {"reach": [to_json(reached[number]) for number in sorted(reached)]} if reached else {}
    return Retargeting(sources, report | within)


def _joint_steps(robot: RobotRetargeter, path: JointPaths) -> dict[str, NDArray[np.float64]]:
    """Step of each joint from every frame to the next, (N, 1) each; those of last frames lead nowhere."""
    moves = np.diff(path.reached.astype(np.float64), axis=0, append=path.reached[-1:])
    joints = [entry for entry in range(moves.shape[1]) if entry not in robot.grippers]
    return {f"joint {number}": moves[:, [entry]] for number, entry in enumerate(joints, start=1)}


def _openings(target: Frames, frames: Frames) -> dict[int, NDArray[np.float64]]:
    """For each absolute entry of the target's actions, the opening that it commands; hands are taken in order."""
    schema = target.schema
    absolute = [entry for entry, name in enumerate(schema.action_names) if name not in schema.delta_actions]
    hands = [min(number, len(schema.arms) - 1) for number in range(len(absolute))]
    columns = [frames.ee_pose[:, POSE_SIZE * hand + GRIPPER].astype(np.float64) for hand in hands]
    return dict(zip(absolute, columns, strict=True))


def _delta_quality(target: LabelledPolicySource, law: DeltaLaw, steps: Conventions) -> DeltaQuality:
    frames, indices = target.frames, transitions(target.frames.episodes)
    held_out = indices[np.isin(indices, target.split.held_out.frame_indices)]
    commands = np.clip(law.raw(steps, _openings(frames, frames), frames.episodes), law.low, law.high)
    wrong = (commands - frames.action)[held_out]
    scale = normalizer.fit(ACTION, [frames.action[target.train.frame_indices]]).std
    errors = dict(zip(frames.schema.action_names, np.abs(wrong).mean(0).tolist(), strict=True))
    return DeltaQuality(float(((wrong / scale) ** 2).mean()), errors)


def _stepped(target: LabelledPolicySource, law: DeltaLaw, source: PolicySource, steps: Conventions) -> Retargeted:
    raw = law.raw(steps, _openings(target.frames, source.frames), source.frames.episodes)
    slack = 0.01 * (law.high - law.low)
    beyond = int(((raw < law.low - slack) | (raw > law.high + slack)).any(axis=1).sum())
    if beyond > FEW * len(raw):
        _LOG.warning(
            "%s: %d of %d steps are longer than any that the target's actions take, and are shortened to those; "
            "demonstrations at the robot's pace would keep their path",
            *(source.name, beyond, len(raw)),
        )
    return Retargeted(source, np.clip(raw, law.low, law.high).astype(np.float32), ShortenedSteps(len(raw), beyond))
