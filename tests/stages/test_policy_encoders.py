"""Policies with pretrained encoders, from training to a rollout: their folders need nothing else."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.policies.encoders import derived_file
from tests.policies.encoders import pretrained_files as files

from glam.core.errors import GlamError
from glam.core.files import sha256
from glam.data.cache import decoded
from glam.data.reader import Dataset
from glam.policies import trained as policies
from glam.policies.encoders.dinov2_s14 import DinoV2S14Config
from glam.policies.encoders.dinov2_s14_derived import DinoV2S14DerivedConfig
from glam.policies.encoders.encoder import EncoderConfig
from glam.policies.encoders.inputs import as_images, stored_features
from glam.recipes import policy
from glam.stages.evaluate import EvaluateConfig, evaluate
from glam.stages.train_policy import Inputs, TrainPolicyConfig, train_policy
from glam.stages.train_world_model import Callbacks
from glam.training import artefact, checkpoint
from glam.training.recorder import CHECKPOINTS, TrainingProgress


def recipe(encoder: EncoderConfig) -> TrainPolicyConfig:
    config = policy("mip", "smoke")
    observation = replace(config.policy.observation, encoder=encoder)
    return replace(config, policy=replace(config.policy, observation=observation))


class Trained:
    """A policy with an encoder of random weights, and how it was made."""

    def __init__(self, target: Path, root: Path, training: str) -> None:
        self.target, self.weights = target, root / "weights.pth"
        self.encoder = files.config(files.write_weights(self.weights), training)
        self.config, self.inputs = recipe(self.encoder), Inputs(target, encoder_weights=self.weights)
        self.run = train_policy(self.config, self.inputs, root / "run")


@pytest.fixture(scope="session")
def frozen(trained, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return Trained(trained.target, tmp_path_factory.mktemp("frozen"), "frozen")


@pytest.fixture(scope="session")
def joint(trained, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return Trained(trained.target, tmp_path_factory.mktemp("joint"), "joint")


def test_encoder_inputs_are_the_same_when_a_frozen_policy_acts_as_in_training(frozen: Trained) -> None:
    frames = decoded(Dataset.open(frozen.target), 16)
    rows = np.array([0, len(frames) - 1, 5])

    def refuse(rows: np.ndarray) -> torch.Tensor:
        raise AssertionError("was not encoded before training")

    seen = stored_features(frames, frozen.encoder, refuse)(frames, rows)
    loaded = policies.load(frozen.run)
    images = np.stack([store[rows] for store in frames.images.values()], axis=1)
    torch.testing.assert_close(loaded.backbone(as_images(images)), seen, atol=1e-5, rtol=1e-4)
    encoder = loaded.policy.observation.encoder
    torch.testing.assert_close(encoder(loaded.backbone(as_images(images))), encoder(seen), atol=1e-4, rtol=1e-3)


def test_what_is_frozen_is_stored_once_and_never_trained(frozen: Trained) -> None:
    stored = artefact.load(frozen.run).weights
    found = torch.load(frozen.weights, weights_only=True)
    assert torch.equal(stored["frozen_backbone.backbone.network.stem.convolution.weight"], found["_conv_stem.weight"])
    saved = checkpoint.load(frozen.run / CHECKPOINTS, 10)
    assert not any(name.startswith("frozen_backbone") for part in saved.tensors.values() for name in part)


def test_joint_training_goes_on_from_the_pretrained_weights(joint: Trained) -> None:
    stored = artefact.load(joint.run).weights
    name = "observation.encoder.per_view.backbone.network.stem.convolution.weight"
    first = torch.load(joint.weights, weights_only=True)["_conv_stem.weight"]
    change = float((stored[name] - first).norm() / first.norm())
    assert 0.0 < change < 0.2


@pytest.mark.parametrize("training", ["joint", "frozen"])
def test_a_policys_folder_needs_no_weights_beside_it(training, request, tmp_path: Path) -> None:
    made: Trained = request.getfixturevalue(training)
    hidden = made.weights.rename(tmp_path / "elsewhere")
    try:
        out = evaluate(EvaluateConfig("lift", episodes=1), made.run, tmp_path / "out", workers=1)
    finally:
        hidden.rename(made.weights)
    assert (out / "eval_info.json").is_file()


def test_a_frozen_policy_goes_on_exactly_where_it_stopped(frozen: Trained, tmp_path: Path) -> None:
    def stop(progress: TrainingProgress) -> None:
        if progress.step == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_policy(frozen.config, frozen.inputs, tmp_path / "run", Callbacks(training=stop))
    again = train_policy(frozen.config, frozen.inputs, tmp_path / "run")
    assert sha256(again / "model.safetensors") == sha256(frozen.run / "model.safetensors")


def test_other_weights_than_those_meant_are_refused_before_anything_is_made(frozen: Trained, tmp_path: Path) -> None:
    other = tmp_path / "other.pth"
    files.write_weights(other, seed=1)
    with pytest.raises(GlamError, match="its sha256 is"):
        train_policy(frozen.config, replace(frozen.inputs, encoder_weights=other), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("training", ["joint", "frozen"])
def test_dino_is_trained_stored_and_loaded(trained, tmp_path: Path, training) -> None:
    library = pytest.importorskip("transformers", reason="the extra [encoders] is not installed")
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 70, "patch_size": 14}
    library.Dinov2Model(library.Dinov2Config(**sizes)).save_pretrained(tmp_path / "dino")
    small = {"side": 28, "width": 16, "layers": 2, "heads": 2, "pixels": 16, "hidden": 16, "code": 8}
    digest = sha256(tmp_path / "dino" / "model.safetensors")
    config = recipe(DinoV2S14Config(training=training, sha256=digest, **small))
    run = train_policy(config, Inputs(trained.target, encoder_weights=tmp_path / "dino"), tmp_path / "run")
    chunk = policies.load(run).act(
        np.zeros((2, 2, 32, 32, 3), np.uint8), np.zeros((2, 10), np.float32), np.zeros((2, 8), np.float32)
    )
    assert chunk.shape == (2, 8, 8)
    assert np.isfinite(chunk).all()


@pytest.mark.parametrize("side", [98, 224])
def test_a_derived_dino_is_frozen_at_the_sizes_of_both_presets(trained, tmp_path: Path, side: int) -> None:
    library = pytest.importorskip("transformers", reason="the extra [encoders] is not installed")
    model = library.Dinov2Model(library.Dinov2Config(**derived_file.SIZES)).eval()
    weights = tmp_path / "vit_s_focus.onnx"
    weights.write_bytes(derived_file.content(model.state_dict()))
    small = {"width": 16, "layers": 2, "heads": 2, "pixels": 16, "hidden": 16, "code": 8}
    encoder = DinoV2S14DerivedConfig(side=side, training="frozen", sha256=sha256(weights), **small)
    run = train_policy(recipe(encoder), Inputs(trained.target, encoder_weights=weights), tmp_path / "run")
    frames = decoded(Dataset.open(trained.target), 16)
    rows = np.array([3])
    images = as_images(np.stack([store[rows] for store in frames.images.values()], axis=1))
    seen = stored_features(frames, encoder, lambda rows: pytest.fail("was not encoded before training"))(frames, rows)
    torch.testing.assert_close(policies.load(run).backbone(images), seen, atol=1e-5, rtol=1e-4)
    assert seen.shape == (1, 2, 16)
    assert seen.std() > 0.1
