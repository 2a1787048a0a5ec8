"""Results of retargeting, and the joint paths of a dataset with the episodes that are within reach."""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.workers import Part, Progress
from glam.data.cache import JointPaths, JointPathsProvenance, stored
from glam.data.windows import Frames
from glam.policies.sources import PolicySource
from glam.stages.target_robot import RobotRetargeter

_LOG = logging.getLogger(__name__)

FARTHEST_MM = 5.0
FARTHEST_DEGREES = 2.0
"""Largest errors of a pose that counts as reached. Episodes with a pose out of reach are left out of training."""
FEW = 0.03
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


def joint_paths(robot: RobotRetargeter, every: Sequence[Frames], progress: Progress) -> list[JointPaths]:
    """Joint angles at every pose of some datasets: from the cache, or by inverse kinematics."""
    befores = np.cumsum([0, *map(len, every)])
    parts = [Part(progress, int(before), int(befores[-1])) for before in befores[:-1]]
    return [joint_path(robot, frames, part) for frames, part in zip(every, parts, strict=True)]


def joint_path(robot: RobotRetargeter, frames: Frames, progress: Progress) -> JointPaths:
    """The same for one dataset."""

    def solved() -> JointPaths:
        parts = []
        for first, last in zip(frames.episodes.starts, frames.episodes.ends, strict=True):
            parts.append(robot.follow(frames.ee_pose[first:last]))
            progress(int(last), len(frames))
        return JointPaths(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    return stored(JointPathsProvenance(frames.content_id, robot.robot, robot.fingerprint), solved)


def within_reach(source: PolicySource, robot: RobotRetargeter, paths: JointPaths) -> tuple[PolicySource, Reach]:
    """A source without the training episodes that have a pose out of reach."""
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
    split = source.split._replace(train=train.select(np.flatnonzero(~np.array(is_bad))))
    return replace(source, split=split), outcome


def _warn(root: str, robot: str, outcome: Reach) -> None:
    if outcome.left_out == outcome.episodes:
        worst = f"{outcome.worst_mm:.0f} mm and {outcome.worst_degrees:.0f} degrees"
        raise GlamError(f"{root}: every episode has a pose out of reach of {robot}; the largest errors are {worst}")
    if outcome.unreached > FEW * outcome.frames:
        _LOG.warning(
            "%s: %d of %d frames are out of reach of %s; %d of %d episodes are left out",
            *(root, outcome.unreached, outcome.frames, robot, outcome.left_out, outcome.episodes),
        )
