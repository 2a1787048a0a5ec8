"""What a policy's success depends on: the recipe with one thing changed, on configurations that no test uses."""

from collections.abc import Iterator
from dataclasses import replace

from glam.bench.cell import Cell
from glam.bench.grids.parts import way_to_policy
from glam.bench.nodes import Change, Evaluation
from glam.core.horizon import USUAL, Horizon
from glam.core.seeds import FIRST_VALIDATION_SEED
from glam.policies.vision import VisionConfig
from glam.recipes.eyes import eyes

SEEDS = (0, 1)
AS_IT_IS = "the recipe"
HORIZONS = {
    "5 actions executed, no memory": Horizon(5, memory=0.0),
    "10 actions executed, no memory": Horizon(10, memory=0.0),
    "20 actions executed, no memory": Horizon(20, memory=0.0),
    "10 actions executed, memory 0.5": Horizon(10, memory=0.5),
}
_EPISODES = 400
_EYES = "policy.condition.vision"
CHANGES = {
    "no noise on pose and state": Change("policy.condition.noise", 0.0),
    "one convolution of 8 x 8 in place of two": Change(_EYES, VisionConfig(widths=(32,))),
    "a quarter of each batch from the target": Change("target_share", 0.25),
    "state never hidden": Change("policy.condition.hidden_state_share", 0.0),
    "state always hidden": Change("policy.condition.hidden_state_share", 1.0),
    "frozen pretrained eyes": Change(_EYES, eyes("efficientnet-lite0", "cpu", "frozen")),
    "3000 steps": Change("fit.steps", 3000),
    "labels not decoded": Change("policy.decoded_weight", 0.0),
    "keypoints a quarter as important": Change("policy.keypoint_weight", 5.0),
    "no keypoints": Change("policy.keypoint_weight", 0.0),
    "pictures shifted by up to 2 pixels": Change("policy.condition.shift", 2),
}


QUARTER = "keypoints a quarter as important"
CHANGES_OF_MIP = {QUARTER: CHANGES[QUARTER]}


def tuning() -> Iterator[Cell]:
    """The paper's method on stack-two, changed in one way at a time; then the best direct policy likewise."""
    for seed in SEEDS:
        yield _tried(seed, AS_IT_IS)
        for detail, horizon in HORIZONS.items():
            yield _tried(seed, detail, horizon=horizon)
        for detail, change in CHANGES.items():
            yield _tried(seed, detail, (change,))
        yield _tried(seed, AS_IT_IS, method="mip")
        for detail, change in CHANGES_OF_MIP.items():
            yield _tried(seed, detail, (change,), method="mip")


def _tried(
    seed: int, detail: str, changes: tuple[Change, ...] = (), horizon: Horizon = USUAL, method: str = "glam-o"
) -> Cell:
    policy = replace(way_to_policy(method, "stack-two", seed), changes=changes)
    node = Evaluation(
        policy,
        episodes=_EPISODES,
        films=0,
        execute=horizon.execute,
        memory=horizon.memory,
        first_seed=FIRST_VALIDATION_SEED,
    )
    return Cell(node, "stack-two", method, seed, detail)
