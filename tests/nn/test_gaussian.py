"""Gaussians agree with torch.distributions, with sampling, and let gradients through exactly where they should."""

import pytest
import torch
from torch.distributions import Normal, kl_divergence

from glam.nn.gaussian import LOG_VARIANCE_RANGE, DiagGaussian, Noise, bounded


def gaussian(seed: int, *, rows: int = 4, size: int = 3) -> DiagGaussian:
    generator = torch.Generator().manual_seed(seed)
    mean, log_variance = torch.randn(2, rows, size, generator=generator, dtype=torch.float64)
    return DiagGaussian(mean.requires_grad_(), log_variance.requires_grad_())


def normal(distribution: DiagGaussian) -> Normal:
    return Normal(distribution.mean, distribution.standard_deviation)


def test_kl_is_that_of_torch_for_each_dimension():
    one, other = gaussian(0), gaussian(1)
    torch.testing.assert_close(one.kl(other), kl_divergence(normal(one), normal(other)))


def test_kl_to_the_standard_normal_is_kl_to_a_standard_normal():
    one = gaussian(0)
    standard = DiagGaussian(torch.zeros_like(one.mean), torch.zeros_like(one.mean))
    torch.testing.assert_close(one.kl_to_standard(), one.kl(standard))
    torch.testing.assert_close(one.kl_to_standard(), kl_divergence(normal(one), Normal(0.0, 1.0)))


def test_kl_is_the_mean_log_ratio_of_samples():
    one, other = gaussian(2, rows=1), gaussian(3, rows=1)
    many = DiagGaussian(one.mean.expand(200_000, -1), one.log_variance.expand(200_000, -1))
    with torch.no_grad():
        samples = many.rsample(Noise.seeded(0))
        ratios = normal(one).log_prob(samples) - normal(other).log_prob(samples)
        error = 5 * ratios.std(0) / len(samples) ** 0.5
        assert ((ratios.mean(0) - one.kl(other)[0]).abs() < error).all()
        assert (error < 0.05 * one.kl(other)[0] + 0.05).all(), "the check is sharp enough to fail"


def test_kl_is_zero_for_equals_and_not_symmetric():
    one, other = gaussian(0), gaussian(1)
    torch.testing.assert_close(one.kl(one), torch.zeros_like(one.mean))
    assert not torch.allclose(one.kl(other), other.kl(one))


def test_samples_have_the_mean_and_width_of_the_distribution():
    many = DiagGaussian(torch.full((100_000, 2), 3.0), torch.full((100_000, 2), -2.0))
    samples = many.rsample(Noise.seeded(0))
    torch.testing.assert_close(samples.mean(0), torch.full((2,), 3.0), atol=0.01, rtol=0)
    torch.testing.assert_close(samples.std(0), many.standard_deviation[0], atol=0.01, rtol=0)


def test_a_sample_passes_gradients_to_mean_and_log_variance():
    one = gaussian(0)
    one.rsample(Noise.seeded(0)).sum().backward()
    assert torch.equal(one.mean.grad, torch.ones_like(one.mean))
    assert (one.log_variance.grad != 0).all()


def test_a_detached_distribution_gets_no_gradient_and_the_other_side_does():
    one, other = gaussian(0), gaussian(1)
    one.kl(other.detach()).sum().backward()
    assert other.mean.grad is None
    assert other.log_variance.grad is None
    assert (one.mean.grad != 0).all()


def test_rows_can_be_taken():
    one = gaussian(0)
    assert torch.equal(one[1:3].mean, one.mean[1:3])
    assert torch.equal(one[1:3].log_variance, one.log_variance[1:3])


def test_a_head_is_means_then_log_variances_within_bounds():
    head = torch.tensor([[1.0, -2.0, 0.0, -100.0], [3.0, 4.0, 100.0, -2.0]])
    distribution = DiagGaussian.from_head(head)
    low, high = LOG_VARIANCE_RANGE
    assert torch.equal(distribution.mean, head[:, :2])
    torch.testing.assert_close(distribution.log_variance[0, 1], torch.tensor(low))
    torch.testing.assert_close(distribution.log_variance[1, 0], torch.tensor(high))
    assert distribution.log_variance[1, 1] == pytest.approx(-2.0, abs=0.02)


def test_a_head_in_half_precision_gives_a_distribution_in_single():
    assert DiagGaussian.from_head(torch.zeros(2, 4, dtype=torch.bfloat16)).log_variance.dtype == torch.float32


def test_bounds_are_kept_in_order_and_never_block_the_gradient():
    values = torch.linspace(-14, 10, 97, dtype=torch.float64, requires_grad=True)
    bent = bounded(values, -6.0, 2.0)
    bent.sum().backward()
    assert -6.0 < bent.min() < bent.max() < 2.0
    assert (bent.diff() > 0).all()
    assert (values.grad > 1e-4).all()
