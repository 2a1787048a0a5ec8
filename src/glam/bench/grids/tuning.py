"""Equal tuning: every method gets the same number of settings, trials and trainings, on the same two tasks.

The rule: of each method the setting with the most successes on both tasks together is chosen, at a tie the one that
comes first here. `CHOSEN` holds it, and every task uses it. No test scene is looked at.
"""

from collections.abc import Iterator
from itertools import product

from glam.bench.cell import Cell
from glam.bench.grids.parts import RECIPE, Setting, policy_by, validated
from glam.bench.runs import Change

TASKS = ("stack-two", "pick-place")
AS_IT_IS = "recipe"
_ANY = {
    AS_IT_IS: RECIPE,
    "twice the steps": Setting((Change("fit.steps", 10_000),)),
    "half the learning rate": Setting((Change("fit.learning_rate", 5e-4),)),
}
DIRECT = _ANY | {
    "twice the learning rate": Setting((Change("fit.learning_rate", 2e-3),)),
    "no state dropout": Setting((Change("policy.observation.state_dropout", 0.0),)),
}
LATENT = _ANY | {
    "a tenth of the latent weight": Setting((Change("policy.latent_weight", 0.1),)),
    "a tenth of the reconstruction weight": Setting(
        world_model=(Change("model.states.reconstruction_weight", 1.0),),
    ),
}
SETTINGS = {"mip": DIRECT, "retarget": DIRECT} | dict.fromkeys(
    ("clam", "clam-o", "lapa", "lapa-o", "glam", "glam-o"), LATENT
)
"""Settings by method and name, as many for each."""


def tuning() -> Iterator[Cell]:
    """The recipe of every method first, which the main grid has trained already; then one changed setting of each."""
    for number in range(len(LATENT)):
        for task, (method, settings) in product(TASKS, SETTINGS.items()):
            name, setting = list(settings.items())[number]
            yield Cell(validated(policy_by(method, task, setting=setting)), task, method, detail=name)
