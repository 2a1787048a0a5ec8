from pathlib import Path

import numpy as np
import pytest
import torch
from tests.policies import pretrained as files
from tests.world_models import tiny

from glam.core.errors import GlamError
from glam.core.progress import no_progress
from glam.data.frames import Frames
from glam.policies.eyes import JointEyes, build_encoder
from glam.policies.sight import as_images, images, open_sight, resized, trained_sight, without_frozen
from glam.policies.vision import VisionConfig

ROWS = np.array([3, 70, 4])


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLAM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "weights.pth"


@pytest.fixture
def frames() -> Frames:
    return tiny.sources()[1].frames


def test_eyes_that_are_trained_are_given_images(weights: Path, frames: Frames) -> None:
    joint = files.config(files.write_weights(weights), "joint")
    for sight in (open_sight(VisionConfig(), None), open_sight(joint, weights)):
        seen = sight.look(frames, no_progress)(frames, ROWS)
        assert seen.shape == (3, 2, 3, 16, 16)
        assert torch.equal(
            seen[1, 0, 2], torch.from_numpy(frames.images["observation.images.a"][70, ..., 2] / np.float32(255))
        )
        assert sight.kept() == {}


def test_joint_eyes_begin_with_the_weights_given(weights: Path) -> None:
    config = files.config(files.write_weights(weights), "joint")
    torch.manual_seed(5)
    eyes = build_encoder(2, config)
    assert isinstance(eyes, JointEyes)
    open_sight(config, weights).begin(eyes)
    found = torch.load(weights, weights_only=True)
    assert torch.equal(eyes.network.network.stem.convolution.weight, found["_conv_stem.weight"])


def test_frozen_eyes_see_the_same_in_training_and_when_the_policy_acts(weights: Path, frames: Frames) -> None:
    config = files.config(files.write_weights(weights))
    sight = open_sight(config, weights)
    stored = sight.look(frames, no_progress)(frames, ROWS)
    kept = sight.kept() | {"head.weight": torch.ones(2)}
    images = np.stack([store[ROWS] for store in frames.images.values()], axis=1)
    weights.unlink()  # the policy's own file is enough
    acting = trained_sight(config, kept, Path("model.safetensors"))(as_images(images))
    torch.testing.assert_close(acting, stored, atol=1e-5, rtol=1e-5)
    assert not acting.requires_grad
    assert without_frozen(kept).keys() == {"head.weight"}


def test_a_set_is_looked_at_once(weights: Path, frames: Frames) -> None:
    config = files.config(files.write_weights(weights))
    reports: list[int] = []
    for _ in range(2):
        open_sight(config, weights).look(frames, lambda done, total: reports.append(done))
    assert reports == [72]


def test_views_of_any_size_become_images_of_one(frames: Frames) -> None:
    views = [store[ROWS] for store in frames.images.values()]
    doubled = views[1].repeat(2, axis=1).repeat(2, axis=2)
    assert torch.equal(resized([views[0], doubled], 16), images(frames, ROWS))


def test_a_trained_policy_with_other_eyes_takes_images_as_they_are() -> None:
    seen = torch.rand(1, 2, 3, 4, 4)
    assert torch.equal(trained_sight(VisionConfig(), {}, Path())(seen), seen)


def test_a_policy_without_its_frozen_network_is_refused(weights: Path) -> None:
    config = files.config(files.write_weights(weights))
    with pytest.raises(GlamError, match=r"model.safetensors: .* is missing"):
        trained_sight(config, {"head.weight": torch.ones(2)}, Path("model.safetensors"))


def test_weights_for_eyes_that_begin_with_none_are_refused(weights: Path) -> None:
    with pytest.raises(GlamError, match=r"--encoder-weights .*begin with random weights"):
        open_sight(VisionConfig(), weights)


def test_images_are_in_the_order_of_the_cameras(frames: Frames) -> None:
    seen = images(frames, ROWS)
    stored = frames.images["observation.images.b"][4]
    assert torch.equal(seen[2, 1].movedim(0, -1), torch.from_numpy(stored).float().div(255.0))
