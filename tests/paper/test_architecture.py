"""The networks have the paper's sizes."""

from itertools import pairwise

import torch
from torch import nn

from glam.nn.layers import ImageShape
from glam.recipes import world_model
from glam.world_models.glam import GlamConfig
from glam.world_models.parts import Sizes

SIZES = Sizes(ImageShape(6, 64, 64), pose=10, state=8, action=8, latent=8)
D_O, D, X = 128, 8, 138


def linear(inputs: int, outputs: int) -> int:
    return inputs * outputs + outputs


def res_mlp(inputs: int, outputs: int, blocks: int) -> int:
    block = 2 * 256 + 2 * linear(256, 256)
    return linear(inputs, 256) + blocks * block + linear(256, outputs)


def count(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def test_parameter_counts_of_the_paper_scale_follow_from_the_table() -> None:
    model = world_model("glam-o-one-frame", "paper").model.build(SIZES)
    assert count(model.idm) == res_mlp(2 * X, 2 * D, blocks=5)
    assert count(model.action_encoder) == res_mlp(8 + 8, 2 * D, blocks=5)
    assert count(model.forward_model) == res_mlp(X + D, X, blocks=4)
    assert count(model.proprio_forward) == res_mlp(8 + D, 8, blocks=5)
    norm = 2 * 256  # of the residual block that the middle two of the four layers are
    assert count(model.action_decoder) == linear(D, 256) + 2 * linear(256, 256) + norm + linear(256, 8)


def test_the_visual_networks_have_four_layers_of_kernel_four_stride_two_padding_one() -> None:
    model = world_model("glam", "paper").model.build(SIZES)
    for part, kind in ((model.states.encoder, nn.Conv2d), (model.states.decoder, nn.ConvTranspose2d)):
        layers = [layer for layer in part.modules() if isinstance(layer, kind)]
        shapes = {(layer.kernel_size, layer.stride, layer.padding) for layer in layers}
        assert len(layers) == 4
        assert shapes == {((4, 4), (2, 2), (1, 1))}


def convolutions(widths: tuple[int, ...]) -> int:
    """Of kernel 4 between maps of these widths, either way."""
    return sum(4 * 4 * before * after for before, after in pairwise(widths))


def test_parameter_counts_of_the_visual_networks_follow_from_the_table() -> None:
    states = world_model("glam", "paper").model.build(SIZES).states
    widths = (SIZES.image.channels, 32, 64, 128, 256)
    kernels, flat = convolutions(widths), 256 * 4 * 4
    assert count(states.encoder) == kernels + sum(widths[1:]) + linear(flat, D_O)
    assert count(states.decoder) == kernels + sum(widths[:-1]) + linear(D_O, flat)


def test_forward_models_predict_what_is_added_to_the_present() -> None:
    model = world_model("glam", "paper").model.build(SIZES)
    for part in (model.forward_model, model.proprio_forward):
        for parameter in list(part.parameters())[-2:]:  # the last linear map
            nn.init.zeros_(parameter)
    y, pose, s, z = (torch.randn(3, size) for size in (D_O, SIZES.pose, SIZES.state, D))
    torch.testing.assert_close(model.forward_model(y, pose, z), (y, pose))
    torch.testing.assert_close(model.proprio_forward(s, z), s)


def test_terms_have_the_papers_weights() -> None:
    """Priors 1e-3, the alignment 1, likelihoods of next states 1; those of image, action and robot state are ours."""
    weights = world_model("glam", "paper").model.build(SIZES).weights
    assert {weights[name] for name in ("idm_prior", "action_prior")} == {1e-3}
    others = weights.keys() - {"idm_prior", "action_prior", "reconstruction", "action", "proprio"}
    assert {name: weights[name] for name in others} == dict.fromkeys(others, 1.0)
    assert {"alignment", "forward_feature", "forward_pose", "grounded_feature"} < others
    assert weights["action"] == weights["proprio"] == GlamConfig().action_weight


def test_all_methods_of_a_scale_share_their_networks_data_and_steps() -> None:
    """A fair race: only the structure of the latent action differs."""
    recipes = [world_model(method, "cpu") for method in ("glam-o", "clam-o", "lapa-o", "glam", "clam", "lapa")]
    assert len({recipe.model.parts for recipe in recipes}) == 1
    assert len({(recipe.pixels, recipe.batch, recipe.fit, recipe.latent_per_arm) for recipe in recipes}) == 1
