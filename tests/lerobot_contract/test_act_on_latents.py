"""The worked example of docs/other_trainers.md, small: LeRobot's ACT learns latent actions, and glam decodes them."""

import sys
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest
from lerobot.policies.act.modeling_act import ACTPolicy

from glam.core.errors import GlamError
from glam.recipes import world_model
from glam.sim.tasks import find_task
from glam.stages.collect import CollectConfig, collect
from glam.stages.relabel import relabel, write_as_lerobot
from glam.stages.train_world_model import train_world_model

sys.path.insert(0, str(Path(__file__).parents[2] / "examples/act_on_latents"))
from decoded import decoded
from drive import drive
from score import score
from train import train

CHUNK = 4


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """RelabelledSource sets of an arm and of a gripper in a person's hand, and ACT trained on both for a moment."""
    root = tmp_path_factory.mktemp("act")
    for embodiment, seed in (("kinova", 0), ("umi", 100)):
        collect(CollectConfig("lift", embodiment, seed, image_size=32), root / embodiment, 3, workers=1)
    train_world_model(world_model("glam-o", "smoke"), root / "kinova", [root / "umi"], root / "world-model")
    columns = {root / name: relabel(root / "world-model", root / name, workers=1) for name in ("kinova", "umi")}
    labelled = write_as_lerobot(root / "world-model", columns, root / "labelled")
    train(told(data=labelled, out=root / "act"))
    return root


def told(**settings):
    usual = {"held_out": 1, "steps": 2, "batch": 4, "chunk": CHUNK, "width": 32, "device": "cpu"}
    return Namespace(**(usual | settings))


def test_act_learns_latent_actions_from_both_sources(place):
    config = ACTPolicy.from_pretrained(place / "act").config
    assert config.output_features["action"].shape == (8,)  # of the latent action
    assert config.input_features["observation.state"].shape == (10,)  # the pose
    assert set(config.image_features) == {"observation.images.front", "observation.images.overhead"}


def test_decoded_predictions_drive_the_robot(place):
    act = decoded(place / "act", place / "world-model")
    images = np.zeros((2, 2, 32, 32, 3), np.uint8)
    actions = act(images, np.zeros((2, 10), np.float32), np.zeros((2, 8), np.float32))
    assert actions.shape == (2, CHUNK, 8)
    assert np.isfinite(actions).all()
    (rollout,) = drive(Namespace(task="lift", policy=place / "act", world_model=place / "world-model", episodes=1))
    assert rollout.steps == find_task("lift").max_episode_steps
    assert not rollout.failure


def test_a_score_compares_predictions_with_labels_and_with_the_mean(place):
    settings = {"policy": place / "act", "world_model": place / "world-model", "data": place / "labelled/kinova"}
    errors = score(Namespace(**settings, episodes=1, numbers=[]))
    assert errors == score(Namespace(**settings, episodes=3, numbers=[2]))
    assert list(errors) == ["the mean action", "decoded labels", "decoded predictions of ACT"]
    assert all(0.0 < error < 10.0 for error in errors.values())


def test_another_world_model_is_refused(place, tmp_path):
    other = world_model("clam-o", "smoke")
    train_world_model(other, place / "kinova", [place / "umi"], tmp_path / "other")
    with pytest.raises(GlamError, match="not the world model whose latent actions"):
        decoded(place / "act", tmp_path / "other")
    columns = {place / "umi": relabel(tmp_path / "other", place / "umi", workers=1)}
    (labelled,) = write_as_lerobot(tmp_path / "other", columns, tmp_path / "labelled")
    with pytest.raises(GlamError, match="relabelled by different world models"):
        train(told(data=[place / "labelled/kinova", labelled], out=tmp_path / "act"))
