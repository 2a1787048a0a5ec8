"""A residual perceptron written out has the values and gradients of its layers."""

import pytest
import torch
from torch import Tensor

from glam.nn.mlp import ResMLP


def by_layers(network: ResMLP, features: Tensor) -> Tensor:
    return network.leave(network.blocks(network.enter(features)))


def perceptron(blocks: int) -> ResMLP:
    torch.manual_seed(0)
    network = ResMLP(7, 5, blocks=blocks, hidden=16)
    for parameter in network.parameters():  # a norm begins with ones and zeros, which hide mistakes
        torch.nn.init.normal_(parameter, std=0.5)
    return network


@pytest.mark.parametrize("blocks", [0, 1, 3])
@pytest.mark.parametrize("shape", [(3,), (48,), (6, 4)], ids=str)
def test_values_and_all_gradients_are_those_of_the_layers(blocks, shape):
    network = perceptron(blocks)
    features, pull = torch.randn(*shape, 7, requires_grad=True), torch.randn(*shape, 5)
    inputs = [features, *network.parameters()]
    ours, theirs = network(features), by_layers(network, features)
    torch.testing.assert_close(ours, theirs)
    for found, expected in zip(
        torch.autograd.grad(ours, inputs, pull), torch.autograd.grad(theirs, inputs, pull), strict=True
    ):
        torch.testing.assert_close(found, expected)


def test_inputs_that_want_no_gradient_get_none():
    network, features = perceptron(1), torch.randn(4, 7)
    network(features).sum().backward()
    assert features.grad is None
    assert all(parameter.grad is not None for parameter in network.parameters())


def test_what_came_in_is_left_as_it_was():
    network, features = perceptron(2), torch.randn(4, 7)
    before = features.clone()
    out = network(features)
    pull = torch.ones_like(out)
    out.backward(pull)
    assert torch.equal(features, before)
    assert torch.equal(pull, torch.ones_like(out))


def test_other_precisions_go_layer_by_layer():
    assert perceptron(2).double()(torch.randn(4, 7, dtype=torch.float64)).dtype == torch.float64
    with torch.autocast("cpu", torch.bfloat16):
        assert perceptron(2)(torch.randn(4, 7)).dtype == torch.bfloat16
