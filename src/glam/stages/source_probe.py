"""Source probe: the accuracy with which a classifier tells the source of latent actions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.workers import no_progress
from glam.data import normalizer
from glam.data.cache import decoded
from glam.data.demonstrations import Split, hold_out
from glam.data.reader import Dataset
from glam.data.schema import ACTION
from glam.data.windows import Frames, labelled, transitions
from glam.policies.sources import LabelledPolicySource, PolicySource
from glam.stages.retarget import retarget
from glam.world_models import runs
from glam.world_models.probes import source_accuracy
from glam.world_models.runs import TrainedWorldModel, decode_actions, label_all, source_for

_HELD_OUT = 0.1
"""Fraction of the robot's episodes on which recovered actions are tested."""
_PIXELS = 32
"""Size of images, which this probe does not use."""


@dataclass(frozen=True)
class SourceAccuracy:
    """Balanced accuracy of a classifier of the source; chance is 1 / number of sources."""

    latents: float
    """Given the latent action of a transition."""
    poses: float
    """Given the end-effector pose, for comparison."""
    level: float
    """Given the latent action of the same episodes with level hands. An arm tilts a little when its servos lag, which
    is part of its behaviour and not of its appearance."""
    decoded: float | None
    """Given the action decoded from the latent one, which a policy learns; None without an action decoder."""


def probe_sources(world_model: Path, datasets: Sequence[Path]) -> SourceAccuracy:
    """Classify the transitions of datasets that show the same scenes in the same order.

    A classifier that is fitted to one half of the scenes and tested on the other then learns the source, not the scene.
    """
    if len(datasets) < 2:
        raise GlamError("a source probe needs datasets of at least two sources")
    trained = runs.load(world_model)
    frames = [decoded(dataset, trained.interface.pixels) for dataset in _opened(datasets)]
    latents = _labels(trained, datasets, frames)
    has_decoder = trained.model.action_decoder is not None
    return SourceAccuracy(
        latents=_accuracy(latents),
        poses=_accuracy(
            [trained.normalizer.pose.normalize(part.ee_pose[transitions(part.episodes)]) for part in frames]
        ),
        level=_accuracy(_labels(trained, datasets, [_level(part) for part in frames])),
        decoded=_accuracy([_decoded_actions(trained, part) for part in latents]) if has_decoder else None,
    )


def probe_actions(target: Path, auxiliary: Path) -> float:
    """Accuracy given nearly true actions: those of a robot, and those of an auxiliary set by inverse kinematics.

    If sources behave differently, even perfect labels reveal the source: compare latent actions with this number. Both
    sets go through the same inverse kinematics, so that they differ in behaviour alone.
    """
    opened = _opened([target, auxiliary])
    frames = [decoded(dataset, _PIXELS) for dataset in opened]
    split = hold_out(frames[0].episodes, frames[0].content_id, _HELD_OUT, 0)
    robot = LabelledPolicySource(str(target), labelled(frames[0], str(target)), split)
    pairs = zip((target, auxiliary), frames, strict=True)
    parts = [PolicySource(str(root), part, Split(part.episodes, part.episodes)) for root, part in pairs]
    found = retarget(target, robot, parts, no_progress).sources
    action_normalizer = normalizer.fit(ACTION, [robot.frames.action])
    actions = [action_normalizer.normalize(part.actions[transitions(part.source.frames.episodes)]) for part in found]
    return _accuracy(actions)


def _accuracy(parts: Sequence[NDArray[np.float32]]) -> float:
    return source_accuracy([torch.from_numpy(part) for part in parts])


def _labels(trained: TrainedWorldModel, names: Sequence[Path], parts: Sequence[Frames]) -> list[NDArray[np.float32]]:
    return [label_all(trained, source_for(trained, str(name), part)) for name, part in zip(names, parts, strict=True)]


def _level(frames: Frames) -> Frames:
    """The same frames with hands whose axis is vertical."""
    tilt = [number for number, name in enumerate(frames.schema.pose_names) if name.endswith(("r31", "r32"))]
    poses = frames.ee_pose.copy()
    poses[:, tilt] = 0.0
    return replace(frames, ee_pose=poses)


def _decoded_actions(trained: TrainedWorldModel, latents: NDArray[np.float32]) -> NDArray[np.float32]:
    return trained.normalizer.action.normalize(decode_actions(trained, latents))


def _opened(datasets: Sequence[Path]) -> list[Dataset]:
    """Datasets that show the same scenes in the same order."""
    opened = [Dataset.open(root) for root in datasets]
    scenes = [[record.facts.get("seed", "unknown") for record in dataset.episodes] for dataset in opened]
    for dataset, shown in zip(opened, scenes, strict=True):
        if shown != scenes[0] or "unknown" in shown:
            raise GlamError(f"{dataset.root}: does not show the same scenes as {opened[0].root}")
    return opened
