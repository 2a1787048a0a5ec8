"""What further sources give: a third one to learn from, and what is replayed of each."""

from collections.abc import Iterator
from dataclasses import replace

from glam.bench.cell import Cell
from glam.bench.grids.parts import (
    SEEDS,
    STAND_INS,
    TASKS,
    changes_for,
    held_out,
    labelled,
    replayed,
    robot_of,
    stage_one,
    tried,
    unlabelled,
)
from glam.bench.nodes import Evaluation, Policy, WorldModel

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
            model = stage_one(METHOD, task, seed, robot_of(task))
            for source in ("umi", "kinova", "kinova-lab"):
                yield replayed(model, held_out(task, source), robot_of(task))


def _three_sources(task: str, seed: int) -> Cell:
    target, others = labelled(task, robot_of(task)), (unlabelled(task), labelled(task, "kinova"))
    model = WorldModel(METHOD, target, others, seed)
    policy = Policy("latent", target, others, model, seed, changes=changes_for(task))
    node = Evaluation(policy, robot_of(task))
    return Cell(node, task, METHOD, seed, "three sources")
