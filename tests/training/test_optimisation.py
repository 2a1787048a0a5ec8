"""The learning rate follows its schedule, gradients are clipped together, and what is not finite is named."""

import itertools
from dataclasses import replace

import pytest
import torch
from torch import nn

from glam.training.config import FitConfig
from glam.training.optimisation import (
    clip_gradients,
    gradient_norm,
    learning_rate,
    make_optimiser,
    parameter_without_finite_gradient,
)

CONFIG = FitConfig(steps=100, learning_rate=2.0, warmup=0.2)


def rates(**changes):
    config = replace(CONFIG, **changes)
    return [learning_rate(config, step) for step in range(config.steps)]


@pytest.mark.parametrize("schedule", ["one-cycle", "cosine", "constant"])
def test_the_rate_rises_to_its_peak_and_never_rises_again(schedule):
    found = rates(schedule=schedule)
    peak = found.index(max(found))
    assert found[peak] == pytest.approx(2.0)
    assert 18 <= peak <= 20
    assert all(b > a for a, b in itertools.pairwise(found[:peak]))
    assert all(b <= a for a, b in itertools.pairwise(found[peak:]))


def test_one_cycle_begins_at_a_fraction_and_ends_near_zero():
    found = rates(schedule="one-cycle")
    assert 2.0 / 25 <= found[0] < 2.0 / 10
    assert 0 < found[-1] < 2.0 * 1e-3


def test_cosine_ends_near_zero_and_constant_stays():
    assert 0 < rates(schedule="cosine")[-1] < 2.0 * 1e-3
    assert rates(schedule="constant")[20:] == [2.0] * 80


@pytest.mark.parametrize("warmup", [0.0, 1.0])
def test_a_schedule_may_fall_or_rise_all_the_way(warmup):
    assert max(rates(warmup=warmup)) == pytest.approx(2.0)


def test_weight_matrices_decay_and_the_rest_does_not():
    module = nn.Sequential(nn.Linear(2, 2), nn.LayerNorm(2), nn.Conv2d(1, 1, 2))
    module[0].weight.requires_grad_(requires_grad=False)
    decayed, plain = make_optimiser(module, FitConfig(weight_decay=0.3)).param_groups
    assert [p.ndim for p in decayed["params"]] == [4]
    assert {p.ndim for p in plain["params"]} == {1}
    assert len(plain["params"]) == 4
    assert (decayed["weight_decay"], plain["weight_decay"]) == (0.3, 0.0)
    assert decayed["fused"]


def test_long_gradients_are_scaled_together_and_short_ones_kept():
    module = nn.Linear(2, 1)
    for longest, expected in [(1.0, 1.0), (100.0, 5.0), (0.0, 5.0)]:
        module.weight.grad, module.bias.grad = torch.tensor([[3.0, 0.0]]), torch.tensor([4.0])
        norm = gradient_norm(module)
        clip_gradients(module, longest, norm)
        assert norm.item() == pytest.approx(5.0)
        assert gradient_norm(module).item() == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_the_parameter_whose_gradient_is_not_finite_is_named(value):
    module = nn.Sequential(nn.Linear(2, 1), nn.Linear(1, 1))
    assert parameter_without_finite_gradient(module) == ""
    module[0].weight.grad = torch.zeros(1, 2)
    module[1].bias.grad = torch.tensor([value])
    assert parameter_without_finite_gradient(module) == "1.bias"
