"""The perceptrons are those of the paper's table, layer by layer."""

import pytest
import torch
from torch import nn

from glam.nn.layers import MLP, Linear, ResidualBlock, ResMLP


def count(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def linear(inputs: int, outputs: int) -> int:
    return inputs * outputs + outputs


@pytest.mark.parametrize("blocks", [4, 5])
def test_a_residual_mlp_has_the_parameters_of_the_paper(blocks):
    block = 2 * 256 + 2 * linear(256, 256)
    assert count(ResMLP(20, 16, blocks=blocks)) == linear(20, 256) + blocks * block + linear(256, 16)


def test_a_plain_mlp_of_four_layers_has_four_linear_maps():
    expected = linear(8, 256) + 2 * linear(256, 256) + linear(256, 7)
    assert count(MLP(8, 7, layers=4)) == expected
    assert [type(layer).__name__ for layer in MLP(8, 7, layers=3)] == ["Linear", "ReLU", "Linear", "ReLU", "Linear"]


def test_a_plain_mlp_of_one_layer_is_linear():
    assert [type(layer) for layer in MLP(3, 2, layers=1)] == [Linear]


def test_a_block_is_norm_linear_gelu_linear_and_a_skip():
    block = ResidualBlock(6).double()
    norm, first, _, second = block.branch
    features = torch.randn(5, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    centred = features - features.mean(-1, keepdim=True)
    normed = centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt() * norm.weight + norm.bias
    hidden = normed @ first.weight.T + first.bias
    gelu = 0.5 * hidden * (1 + torch.erf(hidden / 2**0.5))
    torch.testing.assert_close(block(features), features + gelu @ second.weight.T + second.bias)


def test_leading_dimensions_are_kept():
    assert ResMLP(4, 3, blocks=2, hidden=8)(torch.zeros(2, 5, 4)).shape == (2, 5, 3)
    assert MLP(4, 3, layers=2, hidden=8)(torch.zeros(2, 5, 4)).shape == (2, 5, 3)
