"""The moving average follows the weights, and gives them back untouched."""

import pytest
import torch
from torch import nn

from glam.training.optimisation import Average


def set_weight(module, value):
    with torch.no_grad():
        module.weight.fill_(value)


def test_the_average_follows_its_recursion():
    module = nn.Linear(1, 1)
    set_weight(module, 1.0)
    average, expected = Average(module, 0.5), 1.0
    for step in range(20):
        set_weight(module, float(step))
        average.update(module, step)
        decay = min(0.5, (1 + step) / (10 + step))
        expected = decay * expected + (1 - decay) * step
        assert average.values["weight"].item() == pytest.approx(expected, rel=1e-5)


def test_the_module_works_with_averaged_weights_inside_the_block_only():
    module = nn.Linear(1, 1)
    average = Average(module, 0.5)
    average.values["weight"].fill_(7.0)
    before = module.weight.detach().clone()
    with average.in_place(module):
        assert module.weight.item() == 7.0
    assert torch.equal(module.weight, before)
    with pytest.raises(ZeroDivisionError), average.in_place(module):
        raise ZeroDivisionError
    assert torch.equal(module.weight, before)


def test_what_is_kept_are_averaged_parameters_and_the_buffers():
    module = nn.BatchNorm1d(2)
    average = Average(module, 0.5)
    average.values["weight"].fill_(7.0)
    module.running_mean.fill_(3.0)
    kept = average.state_dict(module)
    assert kept.keys() == module.state_dict().keys()
    assert kept["weight"].tolist() == [7.0, 7.0]
    assert kept["running_mean"].tolist() == [3.0, 3.0]


def test_without_decay_the_weights_stand_for_themselves():
    module = nn.Linear(1, 1)
    average = Average(module, 0.0)
    set_weight(module, 5.0)
    average.update(module, 3)
    assert average.values == {}
    assert average.state_dict(module)["weight"].item() == 5.0


def test_what_is_kept_does_not_change_with_the_module():
    module = nn.Linear(1, 1)
    kept = Average(module, 0.0).state_dict(module)
    set_weight(module, 99.0)
    assert kept["weight"].item() != 99.0
