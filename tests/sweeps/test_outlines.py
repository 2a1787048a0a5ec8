"""Every network can be outlined without memory, as loading does before it believes a config: what torch would draw at
random, or compute, must not be needed for it."""

from pathlib import Path

import pytest
import torch

from glam.nn.layers import ImageShape
from glam.policies.encoders import ENCODERS
from glam.policies.heads import HEADS
from glam.policies.observation import ObservationSizes
from glam.recipes import encoder, named_methods, policy, world_model
from glam.training.tensors import built
from glam.world_models.parts import Sizes

SIZES = Sizes(image=ImageShape(3, 16, 16), pose=10, state=7, action=7, latent=8)
SEEN = ObservationSizes(views=2, pose=10, state=7, keypoints=4)


def require_outline(make) -> None:
    module = make()
    weights = {name: torch.full_like(tensor, 1) for name, tensor in module.state_dict().items()}
    again = built(make, weights, Path("model.safetensors"))
    assert all(torch.equal(tensor, weights[name]) for name, tensor in again.state_dict().items())
    assert not any(tensor.is_meta for tensor in (*again.parameters(), *again.buffers()))


@pytest.mark.parametrize("method", sorted(named_methods()))
def test_world_models(method: str) -> None:
    config = world_model(method, "smoke").model
    require_outline(lambda: config.build(SIZES))


@pytest.mark.parametrize("head", sorted(HEADS))
@pytest.mark.parametrize("method", ["direct", "latent"])
def test_policies(method: str, head: str) -> None:
    config = policy(method, "smoke", head).policy
    require_outline(lambda: config.build(SEEN, 8, 7))


@pytest.mark.parametrize("training", ["joint", "frozen"])
@pytest.mark.parametrize("name", sorted(set(ENCODERS) - {"dinov2-s14", "dinov2-s14-derived"}))  # needs transformers
def test_encoders(name: str, training: str) -> None:
    if name == "cnn" and training == "frozen":
        pytest.skip("has no pretrained weights")
    config = encoder(name, "smoke", training)
    require_outline(lambda: config.build(2))
    require_outline(config.frozen_backbone)
