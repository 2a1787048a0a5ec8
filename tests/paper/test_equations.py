"""The terms of the objective against closed forms, Monte Carlo and the paper's words."""

import math

import pytest
import torch
from torch.distributions import Bernoulli, Independent, Normal, kl_divergence

from glam.nn.gaussian import DiagGaussian
from glam.world_models import objectives


def gaussian(seed: int) -> DiagGaussian:
    generator = torch.Generator().manual_seed(seed)
    mean = torch.randn(5, 3, 8, generator=generator)
    return DiagGaussian(mean, torch.randn(5, 3, 8, generator=generator) * 0.5 - 1.0)


def normal(q: DiagGaussian) -> Independent:
    return Independent(Normal(q.mean, q.standard_deviation), 1)


def test_the_prior_term_is_the_kl_to_a_standard_normal_summed_over_entries() -> None:
    q = gaussian(0)
    standard = Independent(Normal(torch.zeros_like(q.mean), torch.ones_like(q.mean)), 1)
    torch.testing.assert_close(objectives.prior_kl(q), kl_divergence(normal(q), standard).mean())


def test_the_alignment_is_the_kl_from_the_idm_to_the_action_encoder_in_this_order() -> None:
    idm, wide = gaussian(1), gaussian(2)
    action_encoder = DiagGaussian(wide.mean, wide.log_variance + 2.0)
    forwards = kl_divergence(normal(idm), normal(action_encoder)).mean()
    backwards = kl_divergence(normal(action_encoder), normal(idm)).mean()
    assert not math.isclose(float(forwards), float(backwards), rel_tol=0.05)
    torch.testing.assert_close(objectives.alignment_kl(idm, action_encoder), forwards)
    torch.testing.assert_close(objectives.symmetric_alignment_kl(idm, action_encoder), forwards)


def test_the_alignment_agrees_with_monte_carlo() -> None:
    idm, action_encoder = gaussian(3), gaussian(4)
    torch.manual_seed(0)
    z = normal(idm).sample((20_000,))
    estimate = (normal(idm).log_prob(z) - normal(action_encoder).log_prob(z)).mean()
    torch.testing.assert_close(objectives.alignment_kl(idm, action_encoder), estimate, rtol=0.02, atol=0.0)


def test_the_gaussian_term_is_a_negative_log_likelihood_of_unit_variance_up_to_its_constant() -> None:
    prediction, truth = torch.randn(4, 6, 10), torch.randn(4, 6, 10)
    constant = 10 * 0.5 * math.log(2 * math.pi)
    expected = -Independent(Normal(prediction, 1.0), 1).log_prob(truth).mean() - constant
    torch.testing.assert_close(objectives.gaussian_error(prediction, truth), expected)


def test_the_image_term_sums_over_pixels_and_channels() -> None:
    prediction, truth = torch.randn(3, 6, 8, 8), torch.rand(3, 6, 8, 8)
    constant = 6 * 64 * 0.5 * math.log(2 * math.pi)
    expected = -Independent(Normal(prediction, 1.0), 3).log_prob(truth).mean() - constant
    torch.testing.assert_close(objectives.image_error(prediction, truth), expected)


def test_the_mask_term_is_a_bernoulli_negative_log_likelihood() -> None:
    logits, truth = torch.randn(3, 4, 8, 8), (torch.rand(3, 4, 8, 8) > 0.7).float()
    expected = -Independent(Bernoulli(logits=logits), 3).log_prob(truth).mean()
    torch.testing.assert_close(objectives.mask_error(logits, truth), expected)


@pytest.mark.parametrize("error", [objectives.gaussian_error, objectives.image_error])
def test_a_perfect_prediction_costs_nothing(error) -> None:
    truth = torch.rand(2, 4, 8, 8)
    assert error(truth, truth) == 0.0
