import pytest

from glam.core.configs import from_json, to_json
from glam.core.errors import GlamError
from glam.recipes import METHODS, WORLD_MODEL_PRESETS, named_methods, world_model
from glam.stages.train_world_model import WorldModelConfig


@pytest.mark.parametrize("method", named_methods())
@pytest.mark.parametrize("preset", WORLD_MODEL_PRESETS)
def test_every_recipe_survives_json(method: str, preset: str) -> None:
    recipe = world_model(method, preset)
    assert from_json(WorldModelConfig, to_json(recipe)) == recipe


def test_an_unknown_method_lists_the_known_ones() -> None:
    with pytest.raises(GlamError, match=r"clam-o-both.*glam-o"):
        world_model("glamour")


def test_each_ablation_differs_from_glam_o_in_one_place() -> None:
    base = to_json(METHODS["glam-o"])
    for name in (name for name in METHODS if name.startswith("glam-o-")):
        changed = _leaves(to_json(METHODS[name])) ^ _leaves(base)
        assert len(changed) == 2, name


def _leaves(value: object, path: str = "") -> set[tuple[str, str]]:
    if isinstance(value, dict):
        return set().union(*(_leaves(part, f"{path}.{key}") for key, part in value.items()))
    return {(path, repr(value))}
