"""Equal tuning: every method gets the same number of settings, trials and trainings, on the same two tasks.

Two questions are asked of each method, and `choice` answers them by one rule. Which settings: the recipe against
recipes with one change each, all in policy trainings of `SHORT` steps, as full ones would take twice the time. How many
steps: the recipe with `SHORT` steps against the recipe with all its steps. No method gets more than those, as steps are
computing time, which the race gives to all alike. No test scene is looked at, and every task uses what is chosen.

World models are trained in full, and settings of the policy share them. The keypoint weight is not among the settings:
that loss needs object masks, which `mip`, `clam`, `lapa` and `glam` do not have, so it is off for every method. The
grid `with-masks` gives masks, and one weight, to all.
"""

from collections.abc import Iterator, Mapping
from itertools import product

from glam.bench.cell import Cell
from glam.bench.grids.parts import RECIPE, Setting, policy_by, validated
from glam.bench.runs import Change

TASKS = ("stack-two", "pick-place")
SHORT = 2000
FULL_RECIPE, SHORT_RECIPE = "recipe", f"{SHORT} steps"
FEWER_STEPS = Change("fit.steps", SHORT)


def _short(*changes: Change, world_model: tuple[Change, ...] = ()) -> Setting:
    return Setting((FEWER_STEPS, *changes), world_model)


_ANY = {
    FULL_RECIPE: RECIPE,
    SHORT_RECIPE: _short(),
    f"{SHORT_RECIPE}, half the learning rate": _short(Change("fit.learning_rate", 5e-4)),
}
DIRECT = _ANY | {
    f"{SHORT_RECIPE}, twice the learning rate": _short(Change("fit.learning_rate", 2e-3)),
    f"{SHORT_RECIPE}, no state dropout": _short(Change("policy.observation.state_dropout", 0.0)),
}
LATENT = _ANY | {
    f"{SHORT_RECIPE}, a tenth of the latent weight": _short(Change("policy.latent_weight", 0.1)),
    f"{SHORT_RECIPE}, a tenth of the reconstruction weight": _short(
        world_model=(Change("model.states.reconstruction_weight", 1.0),)
    ),
}
SETTINGS = {"mip": DIRECT, "retarget": DIRECT} | dict.fromkeys(
    ("clam", "clam-o", "lapa", "lapa-o", "glam", "glam-o"), LATENT
)
"""Settings by method and name, as many for each."""


def tuning() -> Iterator[Cell]:
    """The recipe of every method first, which the main grid needs as well; then one setting of each method in turn."""
    for number in range(len(LATENT)):
        for task, (method, settings) in product(TASKS, SETTINGS.items()):
            name, setting = list(settings.items())[number]
            yield Cell(validated(policy_by(method, task, setting=setting)), task, method, detail=name)


def best_short(successes: Mapping[str, int]) -> str:
    """Name of the short training with the most successes on both tasks together; the first of several."""
    return max((name for name in successes if name != FULL_RECIPE), key=successes.__getitem__)


def best_length(successes: Mapping[str, int]) -> str:
    """Name of the recipe, in full or short, with more successes; in full at a tie."""
    return max((FULL_RECIPE, SHORT_RECIPE), key=successes.__getitem__)


def choice(method: str, successes: Mapping[str, int]) -> Setting:
    """The rule. `successes` are those of each setting of a method, in their order."""
    found = SETTINGS[method][best_short(successes)]
    is_short = best_length(successes) == SHORT_RECIPE
    return Setting(tuple(one for one in found.policy if is_short or one != FEWER_STEPS), found.world_model)
