"""Linear layers whose products come from oneDNN are nn.Linear to within rounding."""

import copy

import pytest
import torch
from torch import nn

from glam.nn import layers
from glam.nn.layers import Linear

SHAPES = [((64,), 24, 40), ((3, 16, 7), 8, 32), ((5, 40), 32, 1), ((8,), 24, 40), ((0,), 24, 40)]


@pytest.fixture
def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        pytest.skip("PyTorch was built without oneDNN")
    monkeypatch.setattr(layers, "uses_onednn", lambda: True)


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize(("rows", "inputs", "outputs"), SHAPES)
@pytest.mark.parametrize("has_bias", [True, False])
def test_values_and_gradients_are_those_of_torch(
    rows: tuple[int, ...], inputs: int, outputs: int, *, has_bias: bool
) -> None:
    own, theirs = Linear(inputs, outputs, bias=has_bias), nn.Linear(inputs, outputs, bias=has_bias)
    theirs.load_state_dict(own.state_dict())
    features = torch.randn(*rows, inputs)
    slope = torch.randn(*rows, outputs)
    found = [_answer_and_gradients(layer, features, slope) for layer in (own, theirs)]
    for mine, its in zip(*found, strict=True):
        torch.testing.assert_close(mine, its, rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("everywhere")
def test_rows_that_do_not_lie_one_after_the_other_are_read_right() -> None:
    layer, features = Linear(6, 9), torch.randn(6, 4, 50).permute(2, 1, 0)
    torch.testing.assert_close(layer(features), nn.functional.linear(features, layer.weight, layer.bias))


@pytest.mark.usefixtures("everywhere")
def test_no_gradient_is_made_for_inputs_that_want_none() -> None:
    layer = Linear(6, 9)
    layer(torch.randn(64, 6)).sum().backward()
    assert layer.weight.grad is not None
    frozen = copy.deepcopy(layer).requires_grad_(requires_grad=False)
    assert not frozen(torch.randn(64, 6)).requires_grad


@pytest.mark.usefixtures("everywhere")
def test_doubles_are_left_to_torch() -> None:
    layer = Linear(6, 9).double()
    assert layer(torch.randn(64, 6, dtype=torch.float64)).dtype == torch.float64


def _answer_and_gradients(layer: nn.Linear, features: torch.Tensor, slope: torch.Tensor) -> list[torch.Tensor]:
    own = features.clone().requires_grad_()
    answer = layer(own)
    (answer * slope).sum().backward()
    gradients = [own.grad, *(parameter.grad for parameter in layer.parameters())]
    return [answer.detach(), *(gradient for gradient in gradients if gradient is not None)]


@pytest.mark.parametrize(("switch", "is_on"), [("on", True), ("off", False)])
def test_the_switch_decides(switch: str, monkeypatch: pytest.MonkeyPatch, *, is_on: bool) -> None:
    monkeypatch.setenv(layers.SWITCH, switch)
    layers.uses_onednn.cache_clear()
    try:
        assert layers.uses_onednn() is (is_on and hasattr(torch.ops.mkldnn, "_linear_pointwise"))
    finally:
        layers.uses_onednn.cache_clear()
