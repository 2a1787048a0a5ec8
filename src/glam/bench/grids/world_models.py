"""Every method of stage 1 on stack-two, with replays; then cases in which the image matters."""

from collections.abc import Iterator

from glam.bench.cell import Cell
from glam.bench.grids.parts import (
    BADLY_CALIBRATED,
    WITHOUT_GRIPPER,
    held_out,
    labelled,
    replayed,
    stage_one,
    unlabelled,
)
from glam.bench.runs import ActionProbeRun, DataRun, SourceProbeRun, WorldModelRun
from glam.recipes import METHODS

SAID_TO_BREAK = ("glam-o-symmetric", "glam-o-idm-actions")
"""Variants of which the paper says that latent actions of the hand-held gripper do not transfer to the robot."""
PROBED = 60
"""Scenes that all sources show, for the source probe."""
PROBE = "source probe"
_FIRST_PROBED = 400_000


def world_models() -> Iterator[Cell]:
    """The grid."""
    for method in ("glam-o", *SAID_TO_BREAK):
        for task in ("stack-two", "lift"):
            yield from _transfers(stage_one(method, task))
    yield Cell(ActionProbeRun(*_shown("stack-two")), "stack-two", "retarget", 0, "action probe")
    for method in METHODS:
        model = stage_one(method, "stack-two")
        yield _probe(model)
        yield replayed(model, held_out("stack-two", "umi"))
        yield replayed(model, held_out("stack-two", "kinova"))
    yield from _images()
    for method in ("glam-o", "glam", "clam-o", "lapa-o"):
        for seed in (1, 2):
            yield _probe(stage_one(method, "stack-two", seed))


def _probe(model: WorldModelRun) -> Cell:
    task = model.target.task
    return Cell(SourceProbeRun(model, _shown(task)), task, model.method, model.seed, PROBE)


def _shown(task: str) -> tuple[DataRun, DataRun]:
    """The same scenes by both embodiments."""
    return DataRun(task, "kinova", PROBED, _FIRST_PROBED), DataRun(task, "umi", PROBED, _FIRST_PROBED)


def _transfers(model: WorldModelRun) -> Iterator[Cell]:
    for embodiment in ("umi", "kinova", "kinova-lab"):
        yield replayed(model, held_out(model.target.task, embodiment))


def _images() -> Iterator[Cell]:
    """With and without the image: another task, poses without the gripper's opening, and poses that are wrong."""
    for method in ("glam-o", "glam-o-pose-only"):
        yield replayed(stage_one(method, "knock-down"), held_out("knock-down", "umi"))
        blind = WorldModelRun(
            method, labelled("stack-two", tracker=WITHOUT_GRIPPER), (unlabelled("stack-two", WITHOUT_GRIPPER),)
        )
        yield replayed(blind, held_out("stack-two", "umi", WITHOUT_GRIPPER))
        yield _wrongly_tracked(method)
    yield _wrongly_tracked("glam-o-exact-poses")


def _wrongly_tracked(method: str) -> Cell:
    """Auxiliary poses with an error of their own in every episode."""
    model = WorldModelRun(method, labelled("stack-two"), (unlabelled("stack-two", BADLY_CALIBRATED),))
    return replayed(model, held_out("stack-two", "umi", BADLY_CALIBRATED))
