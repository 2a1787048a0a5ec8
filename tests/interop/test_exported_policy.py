import numpy as np
import pytest
import torch
from tests.policies import tiny
from tests.policies.encoders import pretrained_files as files

from glam.core.configs import from_json, to_json
from glam.core.errors import GlamError
from glam.data.schema import ACTION, EE_POSE, STATE
from glam.interop.exported_policy import Description, ExportedPolicy
from glam.policies.direct import DirectPolicyConfig
from glam.policies.latent import LatentPolicyConfig
from glam.policies.observation import ObservationConfig
from glam.policies.trained import PolicyInterface, PolicySizes

SIZES = {EE_POSE: tiny.SIZES.pose, STATE: tiny.SIZES.state, ACTION: 8}
SCALES = {name: {"mean": (0.5,) * size, "std": (2.0,) * size} for name, size in SIZES.items()}
INTERFACE = PolicyInterface(10, ("front", "overhead"), 16, ("joint",) * 8, ("joint",) * 8)
LATENT = LatentPolicyConfig(tiny.OBSERVATION, tiny.HEAD)


def description(policy=LATENT, latent: int = 4) -> Description:
    return Description(policy, PolicySizes(tiny.SIZES, latent, 8), INTERFACE, SCALES, "digest")


def module(told: Description, seed: int = 0) -> ExportedPolicy:
    torch.manual_seed(seed)
    return ExportedPolicy(told).eval()


def observation(rows: int = 3, size: int = 32) -> tuple[list[torch.Tensor], torch.Tensor, torch.Tensor]:
    numbers = np.random.default_rng(0)
    images = [torch.from_numpy(numbers.integers(0, 256, (rows, size, size, 3), np.uint8)) for _ in range(2)]
    return images, tiny.normal(rows, tiny.SIZES.pose), tiny.normal(rows, tiny.SIZES.state)


@pytest.mark.parametrize("policy", [LATENT, DirectPolicyConfig(tiny.OBSERVATION, tiny.HEAD)])
def test_a_description_survives_json(policy) -> None:
    told = description(policy)
    assert from_json(Description, to_json(told)) == told


def test_actions_are_those_of_forward_in_their_own_units() -> None:
    exported, seen = module(description()), observation()
    normal = exported(*seen)
    torch.testing.assert_close(exported.act(*seen), normal * 2.0 + 0.5)
    torch.testing.assert_close(exported.normalized(exported.act(*seen)), normal)


def test_gradients_reach_the_networks() -> None:
    exported = module(description())
    exported(*observation()).square().mean().backward()
    gradients = [parameter.grad for parameter in exported.policy.head.parameters()]
    assert all(gradient is not None and gradient.abs().sum() > 0 for gradient in gradients)


def test_weights_lie_in_plain_memory_for_trainers_that_store_nothing_else() -> None:
    assert all(parameter.is_contiguous() for parameter in module(description()).parameters())


def test_cameras_may_differ_in_size() -> None:
    exported, (images, poses, states) = module(description()), observation()
    doubled = images[1].repeat_interleave(2, 1).repeat_interleave(2, 2)  # the same image with four times the pixels
    assert torch.equal(exported.act([images[0], doubled], poses, states), exported.act(images, poses, states))


def test_poses_are_cut_or_refused_as_a_trained_policy_does() -> None:
    exported, (images, poses, states) = module(description()), observation()
    longer = torch.cat([poses, poses], dim=1)
    assert torch.equal(exported.act(images, longer, states), exported.act(images, poses, states))
    with pytest.raises(GlamError, match="poses of 9 numbers; the policy was trained with 10"):
        exported.act(images, poses[:, :9], states)


def test_a_frozen_backbone_is_part_of_the_module_and_stays_as_it_is() -> None:
    encoder = files.config("sha256")
    exported = module(description(LatentPolicyConfig(ObservationConfig(encoder=encoder), tiny.HEAD)))
    stored = [name for name in exported.state_dict() if name.startswith("frozen_backbone.")]
    assert stored
    exported.train()
    exported(*observation()).square().mean().backward()
    assert all(parameter.grad is None for parameter in exported.frozen_backbone.parameters())
    assert exported.policy.observation.encoder[1].weight.grad is not None


@pytest.mark.parametrize("encoder", [tiny.OBSERVATION.encoder, files.config("sha256")])
def test_the_weights_of_a_training_fill_the_module(encoder, tmp_path) -> None:
    told = description(LatentPolicyConfig(ObservationConfig(encoder=encoder), tiny.HEAD))
    source, copy = module(told, seed=0), module(told, seed=1)
    stored = {name.removeprefix("policy."): weight for name, weight in source.state_dict().items()}
    copy.fill(stored, tmp_path)
    assert torch.equal(copy.act(*observation()), source.act(*observation()))
    stored.pop(next(iter(stored)))
    with pytest.raises(GlamError, match="made for another architecture"):
        copy.fill(stored, tmp_path)


def test_a_description_without_scales_is_refused() -> None:
    told = Description(LATENT, PolicySizes(tiny.SIZES, 4, 8), INTERFACE, {}, "digest")
    with pytest.raises(GlamError, match=r"normalizer of observation\.ee_pose"):
        ExportedPolicy(told)
