import torch
from tests.policies import tiny
from torch import nn

from glam.nn.gaussian import Noise
from glam.nn.layers import Linear
from glam.policies.heads.mip import T_STAR, Mip, MipConfig


def head() -> Mip:
    torch.manual_seed(0)
    return Mip(12, 8, tiny.HEAD)


def at(time: float) -> torch.Tensor:
    return torch.full((4, 1), time)


def test_a_sample_is_two_deterministic_passes() -> None:
    mip, condition = head(), tiny.normal(4, 12)
    first = mip.network(condition, torch.zeros(4, 5, 8), at(0.0))
    torch.testing.assert_close(mip.sample(condition), mip.network(condition, first, at(T_STAR)))
    assert torch.equal(mip.sample(condition), mip.sample(condition))


def test_the_second_pass_is_trained_on_the_truth_plus_a_tenth_of_noise() -> None:
    mip, condition, chunks = head(), tiny.normal(4, 12), tiny.chunks(4)
    assert T_STAR == 0.9  # the paper's
    first, second = (part.chunk for part in mip.training_forward(condition, chunks, Noise.seeded(3)).predictions)
    noisy = chunks.values + 0.1 * Noise.seeded(3).normal(4, 5, 8)
    torch.testing.assert_close(second, mip.network(condition, noisy, at(T_STAR)))
    torch.testing.assert_close(first, mip.network(condition, torch.zeros(4, 5, 8), at(0.0)))


def test_no_gradient_runs_from_the_second_pass_back_to_the_first() -> None:
    mip, chunks = head(), tiny.chunks(4)
    condition = tiny.normal(4, 12).requires_grad_()
    second = mip.training_forward(condition, chunks, Noise.seeded(0)).predictions[1].chunk
    alone = mip.network(condition, chunks.values + (1 - T_STAR) * Noise.seeded(0).normal(4, 5, 8), at(T_STAR))
    (one,) = torch.autograd.grad(second.sum(), condition, retain_graph=True)
    (two,) = torch.autograd.grad(alone.sum(), condition)
    torch.testing.assert_close(one, two)


def test_the_default_network_has_the_papers_size() -> None:
    mip = Mip(64 + 8, 8, MipConfig())
    assert len(mip.network.layers) == 10
    assert mip.network.leave.in_features == 256
    assert mip.shape == (20, 8)
    for layer in mip.network.layers:
        linear, norm, mish = layer.branch
        assert (type(linear), type(norm), type(mish)) == (Linear, nn.LayerNorm, nn.Mish)
        assert (linear.in_features, linear.out_features) == (256, 256)
