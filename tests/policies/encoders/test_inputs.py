from pathlib import Path

import numpy as np
import pytest
import torch
from tests.policies.encoders import pretrained_files as files
from tests.world_models import tiny

from glam.core.errors import GlamError
from glam.core.workers import no_progress
from glam.data.windows import Frames
from glam.policies.encoders.cnn import CnnConfig
from glam.policies.encoders.inputs import (
    EncoderInputs,
    as_images,
    read_images,
    resized,
    trained_backbone,
    without_frozen,
)

ROWS = np.array([3, 70, 4])


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLAM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "weights.pth"


@pytest.fixture
def frames() -> Frames:
    return tiny.sources()[1].frames


def test_inputs_of_an_encoder_that_is_trained_are_images(weights: Path, frames: Frames) -> None:
    joint = files.config(files.write_weights(weights), "joint")
    for inputs in (EncoderInputs(CnnConfig(), None), EncoderInputs(joint, weights)):
        seen = inputs.reader(frames, no_progress)(frames, ROWS)
        assert seen.shape == (3, 2, 3, 16, 16)
        assert torch.equal(
            seen[1, 0, 2], torch.from_numpy(frames.images["observation.images.a"][70, ..., 2] / np.float32(255))
        )
        assert inputs.frozen_weights() == {}


def test_joint_training_starts_from_the_given_weights(weights: Path) -> None:
    config = files.config(files.write_weights(weights), "joint")
    torch.manual_seed(5)
    encoder = config.build(2)
    EncoderInputs(config, weights).initialize(encoder)
    found = torch.load(weights, weights_only=True)
    assert torch.equal(encoder.per_view.backbone.network.stem.convolution.weight, found["_conv_stem.weight"])


def test_frozen_features_are_the_same_in_training_and_when_the_policy_acts(weights: Path, frames: Frames) -> None:
    config = files.config(files.write_weights(weights))
    inputs = EncoderInputs(config, weights)
    stored = inputs.reader(frames, no_progress)(frames, ROWS)
    kept = inputs.frozen_weights() | {"head.weight": torch.ones(2)}
    images = np.stack([store[ROWS] for store in frames.images.values()], axis=1)
    weights.unlink()  # the policy's own file is enough
    with torch.no_grad():
        acting = trained_backbone(config, kept, Path("model.safetensors"))(as_images(images))
    torch.testing.assert_close(acting, stored, atol=1e-5, rtol=1e-5)
    assert without_frozen(kept).keys() == {"head.weight"}


def test_a_dataset_is_encoded_once(weights: Path, frames: Frames) -> None:
    config = files.config(files.write_weights(weights))
    reports: list[int] = []
    for _ in range(2):
        EncoderInputs(config, weights).reader(frames, lambda done, total: reports.append(done))
    assert reports == [72]


def test_views_of_any_size_become_images_of_one(frames: Frames) -> None:
    views = [store[ROWS] for store in frames.images.values()]
    doubled = views[1].repeat(2, axis=1).repeat(2, axis=2)
    assert torch.equal(resized([views[0], doubled], 16), read_images(frames, ROWS))


def test_a_trained_policy_without_frozen_backbone_takes_images_as_they_are() -> None:
    seen = torch.rand(1, 2, 3, 4, 4)
    assert torch.equal(trained_backbone(CnnConfig(), {}, Path())(seen), seen)


def test_a_policy_without_its_frozen_backbone_is_refused(weights: Path) -> None:
    config = files.config(files.write_weights(weights))
    with pytest.raises(GlamError, match=r"model\.safetensors: made for another architecture"):
        trained_backbone(config, {"head.weight": torch.ones(2)}, Path("model.safetensors"))


def test_weights_for_an_encoder_without_pretraining_are_refused(weights: Path) -> None:
    with pytest.raises(GlamError, match=r"--encoder-weights .*starts from random weights"):
        EncoderInputs(CnnConfig(), weights)


def test_images_are_in_the_order_of_the_cameras(frames: Frames) -> None:
    seen = read_images(frames, ROWS)
    stored = frames.images["observation.images.b"][4]
    assert torch.equal(seen[2, 1].movedim(0, -1), torch.from_numpy(stored).float().div(255.0))
