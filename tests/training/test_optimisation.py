"""The learning rate follows its schedule, gradients are clipped together, and what is not finite is named."""

import itertools
from dataclasses import replace

import pytest
import torch
from torch import nn

from glam.training.learner import FitConfig
from glam.training.optimisation import (
    clip_gradients,
    gradients_of,
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


def gradients(*values):
    return [torch.tensor([[values[0], 0.0]]), torch.tensor([values[1]])]


@pytest.mark.parametrize(("longest", "expected"), [(1.0, (0.6, 0.8)), (100.0, (3.0, 4.0)), (0.0, (3.0, 4.0))])
def test_long_gradients_are_scaled_together_and_short_ones_kept(longest, expected):
    found = gradients(3.0, 4.0)
    assert clip_gradients(found, longest).item() == pytest.approx(5.0)
    assert [found[0][0, 0].item(), found[1][0].item()] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_gradients_that_are_not_finite_are_left_for_the_error_message(value):
    found = gradients(3.0, value)
    assert not clip_gradients(found, 1.0).isfinite()
    assert found[0][0, 0] == 3.0


def test_gradients_are_those_of_the_parameters_that_are_trained():
    module = nn.Sequential(nn.Linear(2, 1), nn.Linear(1, 1))
    module[0].weight.requires_grad_(requires_grad=False)
    optimiser = make_optimiser(module, FitConfig())
    assert gradients_of(optimiser) == []
    module(torch.ones(3, 2)).sum().backward()
    assert {id(found) for found in gradients_of(optimiser)} == {
        id(parameter.grad) for parameter in (module[0].bias, module[1].weight, module[1].bias)
    }


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_the_parameter_whose_gradient_is_not_finite_is_named(value):
    module = nn.Sequential(nn.Linear(2, 1), nn.Linear(1, 1))
    assert parameter_without_finite_gradient(module) == ""
    module[0].weight.grad = torch.zeros(1, 2)
    module[1].bias.grad = torch.tensor([value])
    assert parameter_without_finite_gradient(module) == "1.bias"
