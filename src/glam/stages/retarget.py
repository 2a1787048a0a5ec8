"""Retargeting: actions of the target robot for the end-effector paths of auxiliary datasets.

Inverse kinematics gives the joint angles at every pose. A command law, fitted to the labelled episodes of the target,
turns joint angles into commands. Delta actions that are steps of the tool need no kinematics: a law for them, fitted in
the same way, turns steps between poses into commands. The error of such labels is measured on held-out episodes of the
target.
"""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.core.workers import Part, Progress
from glam.data import normalizer
from glam.data.cache import JointPaths, JointPathsProvenance, stored
from glam.data.schema import ACTION, GRIPPER, POSE_SIZE
from glam.data.windows import Frames, transitions
from glam.policies import command_law, delta_law
from glam.policies.command_law import CommandLaw, moves
from glam.policies.delta_law import DeltaLaw
from glam.policies.sources import LabelledPolicySource, PolicySource
from glam.stages.target_robot import RobotModel, RobotRetargeter, retargeter_of

_LOG = logging.getLogger(__name__)

FARTHEST_MM = 5.0
FARTHEST_DEGREES = 2.0
"""Largest errors of a pose that counts as reached. Episodes with a pose out of reach are left out of training."""
_FEW = 0.03
"""Share of frames out of reach, and normalized error of the labels, above which a warning is printed."""


@dataclass(frozen=True, eq=False)
class Retargeted:
    """An auxiliary source with an action for every frame, without the episodes that are out of reach."""

    source: PolicySource
    actions: NDArray[np.float32]
    """(N, n_a): action t takes frame t of the source to frame t + 1."""
    outcome: "Reach | ShortenedSteps"

    @property
    def digest(self) -> str:
        """Digest of the actions and of the episodes that are trained on."""
        content = hashlib.sha256(self.actions.tobytes())
        content.update(self.source.train.starts.tobytes())
        return content.hexdigest()


@dataclass(frozen=True)
class Reach:
    """Result of the inverse kinematics of an auxiliary dataset."""

    frames: int
    unreached: int
    """Frames whose pose is out of reach."""
    episodes: int
    left_out: int
    """Training episodes with such a frame."""
    worst_mm: float
    worst_degrees: float


@dataclass(frozen=True)
class ShortenedSteps:
    """Result of turning steps between poses into delta actions."""

    frames: int
    beyond: int
    """Frames whose step is longer than any recorded one, and was shortened."""


@dataclass(frozen=True)
class DeltaQuality:
    """Error of delta actions made from the target's own path, in episodes held out from the fit."""

    normalized: float
    """Mean squared error in units of each entry's variance."""
    entries: dict[str, float]
    """Mean error of each entry, in its own unit."""


@dataclass(frozen=True)
class LabelQuality:
    """Error of labels made from the target's own paths, against its actions, in episodes held out from the fit."""

    normalized: float
    """Mean squared error in units of each entry's variance."""
    degrees: float
    """Mean error of joint targets."""
    gripper: float
    """Mean error of gripper commands, in fractions of the stroke."""


@dataclass(frozen=True, eq=False)
class Retargeting:
    """All retargeted sources, and a report as plain JSON."""

    sources: tuple[Retargeted, ...]
    report: dict[str, Any]


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
    for other in auxiliary:
        _require_alike(target, other)
    if target.frames.schema.delta_actions:
        return _by_steps(root, target, auxiliary, model)
    robot = retargeter_of(root, target.frames, model)
    every = [target.frames, *(other.frames for other in auxiliary)]
    befores = np.cumsum([0, *map(len, every)])
    parts = [Part(progress, int(before), int(befores[-1])) for before in befores[:-1]]
    paths = [joint_paths(robot, *pair) for pair in zip(every, parts, strict=True)]
    known = target.frames
    law = command_law.fit(paths[0].reached, known.action, known.episodes, target.train, robot.grippers)
    quality = _quality(robot, target, law, paths[0])
    if quality.normalized > _FEW:
        _LOG.warning(
            "%s: labels made from its own paths differ from its actions by %.1f degrees on average",
            root,
            quality.degrees,
        )
    sources = tuple(_retargeted(robot, law, *pair) for pair in zip(auxiliary, paths[1:], strict=True))
    return Retargeting(sources, _report(robot, law, quality, sources))


def _by_steps(
    root: Path, target: LabelledPolicySource, auxiliary: Sequence[PolicySource], model: RobotModel | None
) -> Retargeting:
    """Delta actions for steps between poses, in the convention that the labelled episodes follow."""
    if model is not None:
        raise GlamError(f"{root}: its actions are deltas, which need no model of the robot; leave --kinematics out")
    frames = target.frames
    law = delta_law.fit(
        delta_law.pose_steps(frames.ee_pose, frames.schema.arms),
        _openings(frames, frames),
        frames.action,
        frames.episodes,
        target.train,
    )
    quality = _delta_quality(target, law)
    if quality.normalized > _FEW:
        _LOG.warning(
            "%s: steps between its own poses explain all but %.0f %% of the variance of its delta actions",
            *(root, 100.0 * quality.normalized),
        )
    sources = tuple(_stepped(target, law, source) for source in auxiliary)
    names = frames.schema.action_names
    report = {
        "convention": law.convention,
        "lead": law.lead,
        "entries": {names[entry]: one.group for entry, one in law.entries.items()},
        "held_out_target": to_json(quality),
        "auxiliary": [to_json(source.outcome) for source in sources],
    }
    return Retargeting(sources, report)


def _openings(target: Frames, frames: Frames) -> dict[int, NDArray[np.float64]]:
    """For each absolute entry of the target's actions, the opening that it commands; hands are taken in order."""
    schema = target.schema
    absolute = [entry for entry, name in enumerate(schema.action_names) if name not in schema.delta_actions]
    hands = [min(number, len(schema.arms) - 1) for number in range(len(absolute))]
    columns = [frames.ee_pose[:, POSE_SIZE * hand + GRIPPER].astype(np.float64) for hand in hands]
    return dict(zip(absolute, columns, strict=True))


def _deltas(target: Frames, law: DeltaLaw, frames: Frames) -> NDArray[np.float64]:
    steps = delta_law.pose_steps(frames.ee_pose, frames.schema.arms)
    return law.raw(steps, _openings(target, frames), frames.episodes)


def _delta_quality(target: LabelledPolicySource, law: DeltaLaw) -> DeltaQuality:
    frames, indices = target.frames, transitions(target.frames.episodes)
    held_out = indices[np.isin(indices, target.split.held_out.frame_indices)]
    commands = np.clip(_deltas(frames, law, frames), law.low, law.high)
    wrong = (commands - frames.action)[held_out]
    scale = normalizer.fit(ACTION, [frames.action[target.train.frame_indices]]).std
    errors = dict(zip(frames.schema.action_names, np.abs(wrong).mean(0).tolist(), strict=True))
    return DeltaQuality(float(((wrong / scale) ** 2).mean()), errors)


def _stepped(target: LabelledPolicySource, law: DeltaLaw, source: PolicySource) -> Retargeted:
    raw = _deltas(target.frames, law, source.frames)
    slack = 0.01 * (law.high - law.low)
    beyond = int(((raw < law.low - slack) | (raw > law.high + slack)).any(axis=1).sum())
    if beyond > _FEW * len(raw):
        _LOG.warning(
            "%s: %d of %d steps are longer than any that the target's actions take, and are shortened to those; "
            "demonstrations at the robot's pace would keep their path",
            *(source.name, beyond, len(raw)),
        )
    return Retargeted(source, np.clip(raw, law.low, law.high).astype(np.float32), ShortenedSteps(len(raw), beyond))


def joint_paths(robot: RobotRetargeter, frames: Frames, progress: Progress) -> JointPaths:
    """Joint angles at every pose of a dataset: from the cache, or by inverse kinematics."""

    def solved() -> JointPaths:
        parts = []
        for first, last in zip(frames.episodes.starts, frames.episodes.ends, strict=True):
            parts.append(robot.follow(frames.ee_pose[first:last]))
            progress(int(last), len(frames))
        return JointPaths(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    return stored(JointPathsProvenance(frames.content_id, robot.robot, robot.fingerprint), solved)


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
    train = source.train
    millimetres, degrees = 1000.0 * paths.misses[:, 0], np.degrees(paths.misses[:, 1])
    is_unreached = (millimetres > FARTHEST_MM) | (degrees > FARTHEST_DEGREES)
    is_bad = [bool(is_unreached[first:last].any()) for first, last in zip(train.starts, train.ends, strict=True)]
    outcome = Reach(
        frames=len(is_unreached),
        unreached=int(is_unreached.sum()),
        episodes=len(train),
        left_out=sum(is_bad),
        worst_mm=float(millimetres.max()),
        worst_degrees=float(degrees.max()),
    )
    _warn(source.name, robot.robot, outcome)
    kept = replace(source, split=source.split._replace(train=train.select(np.flatnonzero(~np.array(is_bad)))))
    return Retargeted(kept, _commands(robot, law, source.frames, paths), outcome)


def _warn(root: str, robot: str, outcome: Reach) -> None:
    if outcome.left_out == outcome.episodes:
        worst = f"{outcome.worst_mm:.0f} mm and {outcome.worst_degrees:.0f} degrees"
        raise GlamError(f"{root}: every episode has a pose out of reach of {robot}; the largest errors are {worst}")
    if outcome.unreached > _FEW * outcome.frames:
        _LOG.warning(
            "%s: %d of %d frames are out of reach of %s; %d of %d episodes are left out",
            *(root, outcome.unreached, outcome.frames, robot, outcome.left_out, outcome.episodes),
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
