from dataclasses import replace

import pytest
import torch
from tests.policies import tiny
from tests.policies.encoders import pretrained_files as files

from glam.core.configs import from_tagged_json, to_json
from glam.core.errors import GlamError
from glam.nn.gaussian import Noise
from glam.policies.encoders import ENCODERS
from glam.policies.encoders.cnn import CnnConfig
from glam.policies.encoders.dinov2_s14 import DinoV2S14Config
from glam.policies.encoders.encoder import EncoderConfig
from glam.policies.encoders.pretrained import PerView
from glam.policies.observation import ObservationEncoder

JOINT, FROZEN = files.config("", "joint"), files.config("")


@pytest.mark.parametrize("config", [CnnConfig(pixels=32), JOINT, FROZEN, DinoV2S14Config()])
def test_a_stored_config_comes_back_as_what_it_was(config: EncoderConfig) -> None:
    assert from_tagged_json(ENCODERS, to_json(config), "encoder") == config


def test_a_stored_encoder_of_an_unknown_kind_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(GlamError, match=r"encoder.kind: 'resnet' is not one of 'cnn', 'dinov2-s14'"):
        from_tagged_json(ENCODERS, {"kind": "resnet"}, "encoder")


@pytest.mark.parametrize("name", ENCODERS)
def test_every_registered_encoder_is_found_by_the_kind_that_its_config_stores(name: str) -> None:
    config = ENCODERS.find(name)()
    assert config.kind == name
    assert issubclass(type(config), EncoderConfig)


def test_a_joint_encoder_makes_a_code_of_images_and_every_weight_learns() -> None:
    torch.manual_seed(0)
    encoder = JOINT.build(2)
    code = encoder(torch.rand(3, 2, 3, 16, 16))
    assert code.shape == (3, 8)
    code.square().sum().backward()
    assert all(parameter.grad is not None for parameter in encoder.parameters())


def test_views_share_one_backbone_and_keep_their_order() -> None:
    torch.manual_seed(0)
    per_view = PerView(JOINT.new_backbone()).eval()
    images = torch.rand(3, 2, 3, 16, 16)
    features = per_view(images)
    assert features.std().item() > 0
    torch.testing.assert_close(features[:, 1], per_view.backbone(images[:, 1]), atol=0.0, rtol=1e-3)
    project = FROZEN.build(2)
    assert torch.equal(project(features), project(features.flatten(1)[:, None]))


def test_with_a_frozen_backbone_only_the_projector_is_trained() -> None:
    encoder = FROZEN.build(2)
    assert FROZEN.is_frozen
    assert not JOINT.is_frozen
    size = 2 * FROZEN.features
    assert (
        sum(parameter.numel() for parameter in encoder.parameters()) == 16 * (size + 1) + 2 * 16 + 8 * (16 + 1) + 2 * 8
    )
    assert encoder(torch.rand(3, 2, FROZEN.features)).shape == (3, 8)


def test_the_papers_projector_takes_two_class_tokens_of_384() -> None:
    config = DinoV2S14Config(training="frozen")
    shapes = [tuple(part.weight.shape) for part in config.build(2) if isinstance(part, torch.nn.Linear)]
    assert shapes == [(256, 768), (64, 256)]


def test_frozen_features_are_not_augmented() -> None:
    torch.manual_seed(0)
    exact = replace(tiny.OBSERVATION, state_dropout=0.0, proprio_noise=0.0)
    observation = ObservationEncoder(tiny.SIZES, replace(exact, encoder=FROZEN, random_shift=0.1))
    observed = replace(tiny.observations(), encoder_inputs=torch.rand(6, 2, FROZEN.features))
    varied, _ = observation.training_forward(observed, tiny.keypoints(), Noise.seeded(0))
    assert torch.equal(varied, observation(observed))


def test_keypoints_follow_a_shifted_image() -> None:
    """A head that predicts zero has the mean square of the keypoints as its error, which grows by that of the moves."""
    torch.manual_seed(0)
    observation = ObservationEncoder(tiny.SIZES, replace(tiny.OBSERVATION, random_shift=3 / 16, color_jitter=0.0))
    torch.nn.init.zeros_(observation.keypoint_head.weight)
    torch.nn.init.zeros_(observation.keypoint_head.bias)
    keypoints = tiny.keypoints(rows=2000)
    flat = replace(keypoints, centroids=torch.zeros_like(keypoints.centroids))
    error = observation.training_forward(tiny.observations(rows=2000), flat, Noise.seeded(0))[1]["keypoints"]
    assert error.item() == pytest.approx(4.0 * (2.0 / 15) ** 2, rel=0.05)  # pixels: -3 .. 3, variance 4; 16 to a side
