from itertools import pairwise

import pytest

from glam.bench.grids import GRIDS, find_grid
from glam.bench.node import ordered
from glam.bench.nodes import Data, WorldModel
from glam.core.errors import GlamError
from glam.recipes.world_models import METHODS
from glam.stages.evaluate import FIRST_TEST_SEED


@pytest.mark.parametrize("name", GRIDS)
def test_names_are_unique_and_no_test_configuration_is_recorded(name):
    nodes = ordered(find_grid(name))
    assert len({(node.kind, node.name) for node in nodes}) == len(nodes)
    assert len({(node.kind, node.title) for node in nodes}) == len(nodes)
    assert all(node.seed + node.episodes < FIRST_TEST_SEED for node in nodes if isinstance(node, Data))


def test_configurations_of_training_and_replay_are_disjoint():
    sets = {
        (node.embodiment, node.seed, node.episodes)
        for node in ordered(find_grid("world-models"))
        if isinstance(node, Data)
    }
    ranges = sorted({(seed, seed + episodes) for _, seed, episodes in sets})
    assert all(end <= start for (_, end), (start, _) in pairwise(ranges))


def test_every_method_of_stage_one_is_compared_and_the_main_ones_with_three_seeds():
    models = [node for node in ordered(find_grid("world-models")) if isinstance(node, WorldModel)]
    plain = [model for model in models if model.target.task == "stack-two" and not model.auxiliary[0].flaws]
    assert {model.method for model in plain} == set(METHODS)
    for method in ("glam-o", "glam", "clam-o", "lapa-o"):
        assert {model.seed for model in plain if model.method == method} == {0, 1, 2}


def test_an_unknown_benchmark_is_refused_by_name():
    with pytest.raises(GlamError, match="main-course"):
        find_grid("main-course")
