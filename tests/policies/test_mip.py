import torch
from tests.policies import tiny
from torch import nn

from glam.nn.linear import Linear
from glam.nn.noise import Noise
from glam.policies.mip import T_STAR, Mip, MipConfig, Steps, chunk_error


def head() -> Mip:
    torch.manual_seed(0)
    return Mip(12, 8, tiny.HEAD)


def at(time: float) -> torch.Tensor:
    return torch.full((4, 1), time)


def test_acting_is_two_deterministic_passes() -> None:
    mip, condition = head(), tiny.normal(4, 12)
    first = mip(condition, torch.zeros(4, 5, 8), at(0.0))
    torch.testing.assert_close(mip.act(condition), mip(condition, first, at(T_STAR)))
    assert torch.equal(mip.act(condition), mip.act(condition))


def test_step_one_is_taught_on_the_truth_plus_a_tenth_of_noise() -> None:
    mip, condition, truth = head(), tiny.normal(4, 12), tiny.normal(4, 5, 8)
    assert T_STAR == 0.9  # the paper's
    steps = mip.teach(condition, truth, Noise.seeded(3))
    noisy = truth + 0.1 * Noise.seeded(3).normal(4, 5, 8)
    torch.testing.assert_close(steps.second, mip(condition, noisy, at(T_STAR)))
    torch.testing.assert_close(steps.first, mip(condition, torch.zeros_like(truth), at(0.0)))


def test_no_gradient_runs_from_step_one_back_to_step_zero() -> None:
    """Step 1 sees the truth, never step 0's answer: changing the condition of step 0 alone is impossible to notice."""
    mip, truth = head(), tiny.normal(4, 5, 8)
    condition = tiny.normal(4, 12).requires_grad_()
    steps = mip.teach(condition, truth, Noise.seeded(0))
    alone = mip(condition, truth + (1 - T_STAR) * Noise.seeded(0).normal(4, 5, 8), at(T_STAR))
    (one,) = torch.autograd.grad(steps.second.sum(), condition, retain_graph=True)
    (two,) = torch.autograd.grad(alone.sum(), condition)
    torch.testing.assert_close(one, two)


def test_steps_beyond_the_end_of_an_episode_cost_nothing() -> None:
    truth = tiny.normal(3, 5, 8)
    is_real = torch.ones(3, 5, dtype=torch.bool)
    is_real[1, 2:] = False
    spoilt = truth.clone()
    spoilt[1, 2:] += 100.0
    assert chunk_error(Steps(spoilt, spoilt), truth, is_real) == 0.0


def test_the_default_trunk_has_the_papers_size() -> None:
    mip = Mip(64 + 8, 8, MipConfig())
    assert len(mip.layers) == 10
    assert mip.leave.in_features == 256
    assert mip.shape == (20, 8)
    for layer in mip.layers:
        linear, norm, mish = layer.branch
        assert (type(linear), type(norm), type(mish)) == (Linear, nn.LayerNorm, nn.Mish)
        assert (linear.in_features, linear.out_features) == (256, 256)
