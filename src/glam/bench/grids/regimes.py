"""Poses wrong, missing or in other frames, cameras elsewhere, another hand, other actions, few labels.

Each regime on two tasks by `mip`, `retarget` where it can run, `glam-o` and `glam`, on validation scenes. Before the
policies come replays: an error on the target's own episodes says nothing about transfer. The target of pick-place is
`kinova-lab`; other actions are those of `kinova`. With fingertip tracks in the place of poses, the target has both,
and every policy is tried with its tracks and without, as on a robot that nobody tracks.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from glam.bench.cell import Cell
from glam.bench.grids.parts import (
    BADLY_CALIBRATED,
    WITHOUT_GRIPPER,
    embodiment_of,
    held_out,
    labelled,
    replayed,
    setting_of,
    unlabelled,
    validated,
)
from glam.bench.runs import AlignedRun, DataRun, PolicyRun, WorldModelRun, aligned
from glam.sim.embodiments import find_embodiment
from glam.sim.sensors import CameraOffset, PointTracker, Tracker
from glam.stages.evaluate import Feature

TASKS = ("stack-two", "pick-place")
METHODS = ("mip", "retarget", "glam-o", "glam")
SEEDS = (0,)
EXACT = "exact poses"
TRACKERS = {
    "poses off by 20 mm and 5 degrees per episode": BADLY_CALIBRATED,
    "tool point off by 30 mm and 10 degrees": Tracker(tool_offset_mm=30.0, tool_turn_degrees=10.0),
    "own frame": Tracker(has_own_frame=True),
    "gripper in other units": Tracker(gripper_readings=(0.2, 0.6)),
}
TRACK_NOISE = (0.25, 1.0, 2.0)
"""Pixels of 96, standard deviation of each fingertip in each frame, of both sources."""
NO_POSE = tuple(f"{method}-no-pose" if method.startswith("glam") else method for method in METHODS)
CAMERAS: dict[str, dict[str, Any]] = {
    "cameras 10 cm and 15 degrees elsewhere": {"camera_offset": CameraOffset(10.0, 15.0)},
    "cameras elsewhere in each episode": {"camera_offset": CameraOffset(10.0, 15.0, varies=True)},
    "front camera alone": {"cameras": ("front",)},
}
SPACES = ("joint-velocities", "tool-deltas", "joint-torques")
FEW = {10: 11, 25: 28, 50: 56}
"""Labelled demonstrations to learn from, and with the held-out tenth; 100 are those of the other regimes."""
SINGLE_ARM = ("lift", "pick-place", "stack-two")
"""Tasks of which a world model of several tasks sees the hand-held gripper."""


@dataclass(frozen=True)
class Regime:
    """Data of one regime: what is learnt from, and what is replayed."""

    words: str
    target: DataRun
    auxiliary: DataRun
    replayed: DataRun
    stage_one: tuple[DataRun, ...] = ()
    """Auxiliary data of the world model, where it is not that of the policy."""
    methods: tuple[str, ...] = METHODS
    hidden: tuple[Feature, ...] = ()
    """What every policy is also tried without."""


def regimes() -> Iterator[Cell]:
    """Replays of every regime, then the policies, regime by regime."""
    for seed in SEEDS:
        every = [regime for task in TASKS for regime in _regimes(task)]
        for regime in every:
            for method in _latent(regime):
                cell = replayed(_world_model(regime, method, seed), regime.replayed, regime.target.embodiment)
                yield replace(cell, detail=f"{regime.words}: {cell.detail}")
        for regime in every:
            for method in regime.methods:
                run = validated(_policy(regime, method, seed))
                yield Cell(run, regime.target.task, method, seed, regime.words)
                if regime.hidden:
                    words = f"{regime.words}, no {' or '.join(regime.hidden)} at run time"
                    yield Cell(replace(run, without=regime.hidden), regime.target.task, method, seed, words)


def _regimes(task: str) -> Iterator[Regime]:
    target = labelled(task, embodiment_of(task))
    usual = Regime(EXACT, target, unlabelled(task), held_out(task, "umi"))
    yield usual
    for words, tracker in TRACKERS.items():
        yield replace(usual, words=words, auxiliary=unlabelled(task, tracker), replayed=held_out(task, "umi", tracker))
        yield _aligned(usual, words, tracker)
    unknown = unlabelled(task, WITHOUT_GRIPPER), held_out(task, "umi", WITHOUT_GRIPPER)
    yield replace(usual, words="gripper not recorded", auxiliary=unknown[0], replayed=unknown[1])
    yield from _without_poses(usual)
    for words, changes in CAMERAS.items():
        auxiliary, others = replace(usual.auxiliary, **changes), replace(usual.replayed, **changes)
        yield replace(usual, words=words, auxiliary=auxiliary, replayed=others)
    hand = replace(usual.auxiliary, embodiment="human-hand", seed=find_embodiment("human-hand").first_seed)
    person = replace(usual, words="a person's hand", auxiliary=hand, replayed=held_out(task, "human-hand"))
    yield person
    yield _tracked(person, "a person's hand, tracks with 1 px of noise, no poses", PointTracker(1.0))
    for space in SPACES:
        kinova = replace(labelled(task, "kinova"), action_space=space)
        methods = tuple(method for method in METHODS if method != "retarget" or space != "joint-torques")
        yield replace(usual, words=space.replace("-", " "), target=kinova, methods=methods)
    for learnt, recorded in FEW.items():
        few = labelled(task, embodiment_of(task), episodes=recorded)
        yield replace(usual, words=f"{learnt} labelled", target=few)
    every = tuple(unlabelled(one) for one in SINGLE_ARM)
    elsewhere = tuple(data for data in every if data.task != task)
    yield replace(usual, words="world model of all tasks' auxiliary data", stage_one=every, methods=("glam",))
    yield replace(usual, words="world model of other tasks' auxiliary data", stage_one=elsewhere, methods=("glam",))


def _without_poses(usual: Regime) -> Iterator[Regime]:
    """No pose of the hand-held gripper, but tracks, and then neither. Without a path `retarget` cannot run."""
    for noise in TRACK_NOISE:
        yield _tracked(usual, f"tracks with {noise:g} px of noise, no poses", PointTracker(noise))
    auxiliary, others = (replace(data, has_pose=False) for data in (usual.auxiliary, usual.replayed))
    methods = tuple(method for method in NO_POSE if method != "retarget")
    yield replace(usual, words="no poses and no tracks", auxiliary=auxiliary, replayed=others, methods=methods)


def _tracked(usual: Regime, words: str, points: PointTracker) -> Regime:
    """The same with tracks in the place of the auxiliary poses, and beside those of the target."""
    auxiliary, others = (replace(data, has_pose=False, points=points) for data in (usual.auxiliary, usual.replayed))
    return Regime(
        words,
        replace(usual.target, points=points),
        auxiliary,
        others,
        methods=tuple(method for method in METHODS if method != "retarget"),
        hidden=("tracks",),
    )


def _aligned(usual: Regime, words: str, tracker: Tracker) -> Regime:
    """The same with poses brought into the target's frame by `glam data align`."""
    task, target = usual.target.task, usual.target
    found: list[AlignedRun] = [
        aligned(data, target) for data in (unlabelled(task, tracker), held_out(task, "umi", tracker))
    ]
    return replace(usual, words=f"{words}, aligned", auxiliary=found[0], replayed=found[1])


def _latent(regime: Regime) -> tuple[str, ...]:
    return tuple(method for method in regime.methods if method.startswith("glam"))


def _world_model(regime: Regime, method: str, seed: int) -> WorldModelRun:
    others = regime.stage_one or (regime.auxiliary,)
    return WorldModelRun(method, regime.target, others, seed, changes=setting_of(method).world_model)


def _policy(regime: Regime, method: str, seed: int) -> PolicyRun:
    changes = setting_of(method).policy
    if method == "mip":
        return PolicyRun("mip", regime.target, seed=seed, changes=changes)
    auxiliary = (regime.auxiliary,)
    if method == "retarget":
        return PolicyRun("retarget", regime.target, auxiliary, seed=seed, changes=changes)
    model = _world_model(regime, method, seed)
    return PolicyRun("latent", regime.target, auxiliary, model, seed, changes=changes)
