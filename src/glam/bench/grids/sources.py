"""Further sources: a third one to learn from, and replays of each."""

from collections.abc import Iterator
from dataclasses import replace

from glam.bench.cell import Cell
from glam.bench.grids.parts import (
    SEEDS,
    STAND_INS,
    TASKS,
    embodiment_of,
    held_out,
    labelled,
    replayed,
    setting_of,
    stage_one,
    tested,
    tried,
    unlabelled,
)
from glam.bench.runs import PolicyRun, WorldModelRun

METHOD = "glam-o"


def third_source() -> Iterator[Cell]:
    """The robot's own demonstrations and those of the hand-held gripper, with and without those of a second robot."""
    for seed in SEEDS:
        for task in STAND_INS:
            yield replace(tried(METHOD, task, seed), detail="two sources")
            yield _three_sources(task, seed)


def transfer() -> Iterator[Cell]:
    """Replays of every source on the target robot of every task, by the world models of the main grid."""
    for seed in SEEDS:
        for task in TASKS:
            model = stage_one(METHOD, task, seed, embodiment_of(task))
            for source in ("umi", "kinova", "kinova-lab"):
                yield replayed(model, held_out(task, source), embodiment_of(task))


def _three_sources(task: str, seed: int) -> Cell:
    target, others = labelled(task, embodiment_of(task)), (unlabelled(task), labelled(task, "kinova"))
    model = WorldModelRun(METHOD, target, others, seed, changes=setting_of(METHOD).world_model)
    policy = PolicyRun("latent", target, others, model, seed, changes=setting_of(METHOD).policy)
    return Cell(tested(policy), task, METHOD, seed, "three sources")
