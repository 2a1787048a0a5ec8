import json
from dataclasses import replace
from pathlib import Path

import pytest
import safetensors.torch
import torch
from tests.interop.test_exported_policy import description, module

from glam.core.configs import from_json
from glam.data.schema import EE_POSE
from glam.interop.export_lerobot import contents
from glam.interop.exported_policy import Description
from glam_client.action_chunking import ActionChunking

NAMES = ("config.json", "model.safetensors", "policy_preprocessor.json", "policy_postprocessor.json")


def written(n_action_steps: int = 2) -> dict[str, bytes]:
    return contents(module(description()), ActionChunking(n_action_steps), Path("out"))


def test_all_files_are_there() -> None:
    assert sorted(written()) == sorted(NAMES)


def test_the_config_names_the_plugin_and_the_features_of_the_data() -> None:
    config = json.loads(written()["config.json"])
    assert (config["type"], config["chunk_size"], config["n_action_steps"], config["push_to_hub"]) == (
        "glam",
        5,
        2,
        False,
    )
    assert config["input_features"] == {
        "observation.images.front": {"type": "VISUAL", "shape": [3, 16, 16]},
        "observation.images.overhead": {"type": "VISUAL", "shape": [3, 16, 16]},
        "observation.state": {"type": "STATE", "shape": [8]},
        "observation.ee_pose": {"type": "STATE", "shape": [10]},
    }
    assert config["output_features"] == {"action": {"type": "ACTION", "shape": [8]}}
    assert from_json(Description, config["description"]) == description()


def test_a_policy_that_never_saw_a_pose_asks_for_none() -> None:
    told = description()
    sizes = replace(told.sizes, observation=replace(told.sizes.observation, pose=0))
    blind = replace(told, sizes=sizes, normalizer=told.normalizer | {EE_POSE: {"mean": (), "std": ()}})
    config = json.loads(contents(module(blind), ActionChunking(2), Path("out"))["config.json"])
    assert EE_POSE not in config["input_features"]


@pytest.mark.parametrize(("n_action_steps", "steps"), [(1, 1), (5, 5), (10, 5)])
def test_no_more_is_executed_than_a_chunk(n_action_steps: int, steps: int) -> None:
    assert json.loads(written(n_action_steps)["config.json"])["n_action_steps"] == steps


def test_processors_have_the_steps_that_lerobot_overrides_and_scale_nothing() -> None:
    files = written()
    before, after = (json.loads(files[f"policy_{name}processor.json"])["steps"] for name in ("pre", "post"))
    assert [step["registry_name"] for step in before] == [
        "rename_observations_processor",
        "to_batch_processor",
        "device_processor",
        "normalizer_processor",
    ]
    assert [step["registry_name"] for step in after] == ["unnormalizer_processor", "device_processor"]
    for step in (before[-1], after[0]):
        assert set(step["config"]["norm_map"].values()) == {"IDENTITY"}
    assert not any("state_file" in step for step in before + after)


def test_weights_are_those_of_the_module_under_the_name_model() -> None:
    exported = module(description())
    stored = safetensors.torch.load(contents(exported, ActionChunking(2), Path("out"))["model.safetensors"])
    expected = {f"model.{name}": weight for name, weight in exported.state_dict().items()}
    assert stored.keys() == expected.keys()
    assert all(torch.equal(stored[name], weight) for name, weight in expected.items())
