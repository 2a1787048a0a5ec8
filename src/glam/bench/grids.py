"""The tables and figures by name, as the runs they are made of."""

from collections.abc import Callable, Iterator

from glam.bench.node import Node
from glam.bench.nodes import Data, Evaluation, Policy, Replay, SourceProbe, WorldModel
from glam.core.errors import UnknownNameError
from glam.recipes.world_models import METHODS
from glam.sim.tracker import PERFECT_TRACKER, Tracker

LABELLED = 111
"""Demonstrations with labels: 100 to learn from and a tenth held out."""
UNLABELLED = 444
ALL_LABELLED = LABELLED + UNLABELLED
"""As many as of both kinds together, for the upper bound."""
UNSEEN = 20
"""Episodes of a replay."""
PROBED = 60
"""Scenes that all sources show, for the source probe."""

_FIRST = {"kinova": 0, "umi": 100_000, "kinova-lab": 200_000}
_FIRST_UNSEEN = 300_000
_FIRST_PROBED = 400_000

BADLY_CALIBRATED = Tracker(position_error_mm=20.0, angle_error_degrees=5.0)
WITHOUT_GRIPPER = Tracker(sees_gripper=False)


def labelled(task: str, robot: str = "kinova", tracker: Tracker = PERFECT_TRACKER) -> Data:
    """The target's demonstrations."""
    return Data(task, robot, LABELLED, _FIRST[robot], tracker)


def unlabelled(task: str, tracker: Tracker = PERFECT_TRACKER) -> Data:
    """Those of the hand-held gripper."""
    return Data(task, "umi", UNLABELLED, _FIRST["umi"], tracker)


def unseen(task: str, embodiment: str, tracker: Tracker = PERFECT_TRACKER) -> Data:
    """Episodes for replay; the same configurations for every embodiment."""
    return Data(task, embodiment, UNSEEN, _FIRST_UNSEEN, tracker)


def stage_one(method: str, task: str, seed: int = 0) -> WorldModel:
    """A world model of one robot and the hand-held gripper."""
    return WorldModel(method, labelled(task), (unlabelled(task),), seed)


def world_models() -> Iterator[Node]:
    """Every method of stage 1 on stack-two, and what each one transfers; then when the picture matters."""
    yield from _transfers(stage_one("glam-o", "stack-two"))
    yield from _transfers(stage_one("glam-o", "lift"))
    for method in METHODS:
        model = stage_one(method, "stack-two")
        yield SourceProbe(model, _probed("stack-two"))
        yield Replay(model, unseen("stack-two", "umi"))
        yield Replay(model, unseen("stack-two", "kinova"))
    yield from _pictures()
    for method in ("glam-o", "glam", "clam-o", "lapa-o"):
        for seed in (1, 2):
            yield SourceProbe(stage_one(method, "stack-two", seed), _probed("stack-two"))


def _probed(task: str) -> tuple[Data, ...]:
    return tuple(Data(task, embodiment, PROBED, _FIRST_PROBED) for embodiment in ("kinova", "umi"))


def _transfers(model: WorldModel) -> Iterator[Node]:
    for embodiment in ("umi", "kinova", "kinova-lab"):
        yield Replay(model, unseen(model.target.task, embodiment))


def _pictures() -> Iterator[Node]:
    """With and without the picture: another task, poses that do not tell the gripper, and poses that are wrong."""
    for method in ("glam-o", "glam-o-pose-only"):
        yield Replay(stage_one(method, "knock-down"), unseen("knock-down", "umi"))
        blind = WorldModel(
            method, labelled("stack-two", tracker=WITHOUT_GRIPPER), (unlabelled("stack-two", WITHOUT_GRIPPER),)
        )
        yield Replay(blind, unseen("stack-two", "umi", WITHOUT_GRIPPER))
        wrong = WorldModel(method, labelled("stack-two"), (unlabelled("stack-two", BADLY_CALIBRATED),))
        yield Replay(wrong, unseen("stack-two", "umi", BADLY_CALIBRATED))


def policies() -> Iterator[Node]:
    """Every way to a policy for stack-two: few labels, both kinds of demonstrations, and all of them labelled."""
    target, auxiliary = labelled("stack-two"), unlabelled("stack-two")
    for seed in range(3):
        model = stage_one("glam-o", "stack-two", seed)
        yield Evaluation(Policy("mip", target, seed=seed))
        yield Evaluation(Policy("latent", target, (auxiliary,), model, seed))
    yield Evaluation(Policy("retarget", target, (auxiliary,)))
    yield Evaluation(Policy("mip", Data("stack-two", "kinova", ALL_LABELLED, _FIRST["kinova"])))
    yield Evaluation(Policy("latent", target, (auxiliary,), stage_one("glam", "stack-two")))


GRIDS: dict[str, Callable[[], Iterator[Node]]] = {"world-models": world_models, "policies": policies}


def find_grid(name: str) -> list[Node]:
    """The cells of a grid."""
    if name not in GRIDS:
        raise UnknownNameError("benchmark", name, list(GRIDS))
    return list(GRIDS[name]())
