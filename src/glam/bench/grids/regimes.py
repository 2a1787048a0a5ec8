"""Poses wrong or in other frames, cameras elsewhere, another hand, other actions, few labels: what methods make of it.

Each regime on two tasks by `mip`, `retarget` where it can run, `glam-o` and `glam`, on validation scenes. Before the
policies come replays: an error on the target's own episodes says nothing about transfer. The target of pick-place is
`kinova-lab`; other actions are those of `kinova`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from glam.bench.cell import Cell
from glam.bench.grids.parts import (
    BADLY_CALIBRATED,
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
from glam.sim.sensors import PERFECT_TRACKER, CameraOffset, Tracker

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
CAMERAS: dict[str, dict[str, Any]] = {
    "cameras 10 cm and 15 degrees elsewhere": {"camera_offset": CameraOffset(10.0, 15.0)},
    "cameras elsewhere in each episode": {"camera_offset": CameraOffset(10.0, 15.0, varies=True)},
    "front camera alone": {"cameras": ("front",)},
}
SPACES = ("joint-velocities", "tool-deltas", "joint-torques")
FEW = {10: 11, 25: 28, 50: 56}
"""Labelled demonstrations to learn from, and with the held-out tenth; 100 are those of the other regimes."""
OTHER_TASKS = ("lift", "pick-place", "stack-two")


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


def _regimes(task: str) -> Iterator[Regime]:
    target = labelled(task, embodiment_of(task))
    usual = Regime(EXACT, target, unlabelled(task), held_out(task, "umi"))
    yield usual
    for words, tracker in TRACKERS.items():
        yield replace(usual, words=words, auxiliary=unlabelled(task, tracker), replayed=held_out(task, "umi", tracker))
        if tracker.gripper_readings == PERFECT_TRACKER.gripper_readings:
            yield _aligned(usual, words, tracker)
    for words, changes in CAMERAS.items():
        auxiliary, others = replace(usual.auxiliary, **changes), replace(usual.replayed, **changes)
        yield replace(usual, words=words, auxiliary=auxiliary, replayed=others)
    hand = replace(usual.auxiliary, embodiment="human-hand", seed=find_embodiment("human-hand").first_seed)
    yield replace(usual, words="a person's hand", auxiliary=hand, replayed=held_out(task, "human-hand"))
    for space in SPACES:
        kinova = replace(labelled(task, "kinova"), action_space=space)
        methods = tuple(method for method in METHODS if method != "retarget" or space != "joint-torques")
        yield replace(usual, words=space.replace("-", " "), target=kinova, methods=methods)
    for learnt, recorded in FEW.items():
        few = labelled(task, embodiment_of(task), episodes=recorded)
        yield replace(usual, words=f"{learnt} labelled", target=few)
    elsewhere = tuple(unlabelled(other) for other in OTHER_TASKS if other != task)
    yield replace(usual, words="world model of other tasks' auxiliary data", stage_one=elsewhere, methods=("glam",))


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
