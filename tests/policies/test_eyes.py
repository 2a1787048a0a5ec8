from dataclasses import replace

import pytest
import torch
from tests.policies import pretrained as files
from tests.policies import tiny

from glam.core.configs import from_json, to_json
from glam.nn.noise import Noise
from glam.policies.condition import Condition, ConditionConfig
from glam.policies.eyes import EncoderConfig, PretrainedConfig, build_encoder, features, is_frozen
from glam.policies.networks import DinoConfig, build_network
from glam.policies.vision import Eyes, VisionConfig

JOINT, FROZEN = files.config("", "joint"), files.config("")


@pytest.mark.parametrize("config", [VisionConfig(pixels=32), JOINT, FROZEN, PretrainedConfig(DinoConfig())])
def test_a_stored_config_comes_back_as_what_it_was(config: EncoderConfig) -> None:
    assert from_json(EncoderConfig, to_json(config)) == config  # type: ignore[arg-type]  # a union


def test_a_condition_stored_before_there_was_a_choice_still_has_its_eyes() -> None:
    stored = {"state_dropout": 0.5, "jitter": 0.1, "vision": to_json(VisionConfig())}
    assert from_json(ConditionConfig, stored) == ConditionConfig()
    assert isinstance(build_encoder(2, ConditionConfig().vision), Eyes)


def test_joint_eyes_make_a_code_of_images_and_learn_all_over() -> None:
    torch.manual_seed(0)
    eyes = build_encoder(2, JOINT)
    code = eyes(torch.rand(3, 2, 3, 16, 16))
    assert code.shape == (3, 8)
    code.square().sum().backward()
    assert all(parameter.grad is not None for parameter in eyes.parameters())


def test_views_are_looked_at_by_one_network_and_keep_their_places() -> None:
    torch.manual_seed(0)
    network = build_network(JOINT.network).eval()
    images = torch.rand(3, 2, 3, 16, 16)
    seen = features(network, images)
    assert seen.std().item() > 0
    torch.testing.assert_close(seen[:, 1], network(images[:, 1]), atol=0.0, rtol=1e-3)
    project = build_encoder(2, FROZEN)
    assert torch.equal(project(seen), project(seen.flatten(1)[:, None]))


def test_frozen_eyes_train_the_projector_alone() -> None:
    eyes = build_encoder(2, FROZEN)
    assert is_frozen(FROZEN)
    assert not is_frozen(JOINT)
    size = 2 * FROZEN.network.size
    assert sum(parameter.numel() for parameter in eyes.parameters()) == 16 * (size + 1) + 2 * 16 + 8 * (16 + 1) + 2 * 8
    assert eyes(torch.rand(3, 2, FROZEN.network.size)).shape == (3, 8)


def test_the_papers_projector_takes_two_class_tokens_of_384() -> None:
    config = PretrainedConfig(DinoConfig(), "frozen")
    shapes = [tuple(part.weight.shape) for part in build_encoder(2, config) if isinstance(part, torch.nn.Linear)]
    assert shapes == [(256, 768), (64, 256)]


def test_features_of_frozen_eyes_are_not_varied_while_training() -> None:
    torch.manual_seed(0)
    exact = replace(tiny.CONDITION, state_dropout=0.0, noise=0.0)
    condition = Condition(tiny.SIZES, replace(exact, vision=FROZEN, shift=2))
    seen = replace(tiny.observations(), images=torch.rand(6, 2, FROZEN.network.size))
    varied, _ = condition.teach(seen, tiny.keypoints(), Noise.seeded(0))
    assert torch.equal(varied, condition(seen))


def test_the_lesson_follows_a_shifted_image() -> None:
    """A head that knows nothing makes the error of the lesson itself: its mean square grows by that of the moves."""
    torch.manual_seed(0)
    condition = Condition(tiny.SIZES, replace(tiny.CONDITION, shift=3, jitter=0.0))
    torch.nn.init.zeros_(condition.find.weight)
    torch.nn.init.zeros_(condition.find.bias)
    lesson = tiny.keypoints(rows=2000)
    flat = replace(lesson, centroids=torch.zeros_like(lesson.centroids))
    error = condition.teach(tiny.observations(rows=2000), flat, Noise.seeded(0))[1]
    assert error.item() == pytest.approx(4.0 * (2.0 / 15) ** 2, rel=0.05)  # pixels: -3 .. 3, variance 4; 16 to a side
