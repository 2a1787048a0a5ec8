"""Every method of stage 1 on stack-two, and what each one transfers; then when the image matters."""

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
from glam.bench.nodes import ActionProbe, Data, SourceProbe, WorldModel
from glam.recipes.world_models import METHODS

SAID_TO_BREAK = ("glam-o-symmetric", "glam-o-idm-actions")
"""Of these the paper says that latent actions of the hand-held gripper do not reach the robot."""
PROBED = 60
"""Scenes that all sources show, for the source probe."""
PROBE = "source probe"
_FIRST_PROBED = 400_000


def world_models() -> Iterator[Cell]:
    """The grid."""
    for method in ("glam-o", *SAID_TO_BREAK):
        for task in ("stack-two", "lift"):
            yield from _transfers(stage_one(method, task))
    yield Cell(ActionProbe(*_shown("stack-two")), "stack-two", "retarget", 0, "action probe")
    for method in METHODS:
        model = stage_one(method, "stack-two")
        yield _probe(model)
        yield replayed(model, held_out("stack-two", "umi"))
        yield replayed(model, held_out("stack-two", "kinova"))
    yield from _images()
    for method in ("glam-o", "glam", "clam-o", "lapa-o"):
        for seed in (1, 2):
            yield _probe(stage_one(method, "stack-two", seed))


def _probe(model: WorldModel) -> Cell:
    task = model.target.task
    return Cell(SourceProbe(model, _shown(task)), task, model.method, model.seed, PROBE)


def _shown(task: str) -> tuple[Data, Data]:
    """The same scenes by both embodiments."""
    return Data(task, "kinova", PROBED, _FIRST_PROBED), Data(task, "umi", PROBED, _FIRST_PROBED)


def _transfers(model: WorldModel) -> Iterator[Cell]:
    for embodiment in ("umi", "kinova", "kinova-lab"):
        yield replayed(model, held_out(model.target.task, embodiment))


def _images() -> Iterator[Cell]:
    """With and without the image: another task, poses that do not tell the gripper, and poses that are wrong."""
    for method in ("glam-o", "glam-o-pose-only"):
        yield replayed(stage_one(method, "knock-down"), held_out("knock-down", "umi"))
        blind = WorldModel(
            method, labelled("stack-two", tracker=WITHOUT_GRIPPER), (unlabelled("stack-two", WITHOUT_GRIPPER),)
        )
        yield replayed(blind, held_out("stack-two", "umi", WITHOUT_GRIPPER))
        yield _wrongly_tracked(method)
    yield _wrongly_tracked("glam-o-exact-poses")


def _wrongly_tracked(method: str) -> Cell:
    """Auxiliary poses with an error of their own in every episode."""
    model = WorldModel(method, labelled("stack-two"), (unlabelled("stack-two", BADLY_CALIBRATED),))
    return replayed(model, held_out("stack-two", "umi", BADLY_CALIBRATED))
