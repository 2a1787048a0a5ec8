from dataclasses import replace

from glam.core.configs import from_json, to_json
from glam.evaluation.lineage import DataSource, Lineage, recipe

TARGET = DataSource("b0", "kinova", "kinova", is_labelled=True, episodes=100)
OTHER = DataSource("c3", "umi", "umi", is_labelled=False, episodes=400)
POLICY = Lineage("latent", 0, "69ea", "16d2", {"0": "b0", "1": "c3", "world_model": "612e"}, (TARGET, OTHER), "glam-o")


def test_a_policy_on_latent_actions_is_called_by_its_world_model() -> None:
    assert POLICY.name == "glam-o"
    assert replace(POLICY, method="mip", world_model="").name == "mip"


def test_data_are_counted_by_what_they_hold() -> None:
    assert POLICY.data_words == "100 labelled + 400 unlabelled"
    assert replace(POLICY, data=(TARGET, TARGET)).data_words == "200 labelled"
    assert replace(POLICY, data=()).data_words == ""


def test_a_lineage_survives_being_stored() -> None:
    assert from_json(Lineage, to_json(POLICY)) == POLICY


def test_trainings_that_differ_in_their_seeds_alone_share_a_recipe() -> None:
    config = {"method": "mip", "split_seed": 0, "fit": {"seed": 0, "steps": 3000, "threads": 2, "device": "cpu"}}
    again = {"method": "mip", "split_seed": 1, "fit": {"seed": 1, "steps": 3000, "threads": 1, "device": "cuda"}}
    longer = {"method": "mip", "split_seed": 0, "fit": {"seed": 0, "steps": 6000, "threads": 2, "device": "cpu"}}
    assert recipe(config, {"0": "b0"}) == recipe(again, {"0": "b0"})
    assert recipe(config, {"0": "b0"}) != recipe(longer, {"0": "b0"})
    assert recipe(config, {"0": "b0"}) != recipe(config, {"0": "c3"})
