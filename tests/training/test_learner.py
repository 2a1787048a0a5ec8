"""Losses and weights name the same terms, or nothing is trained."""

import pytest
import torch

from glam.nn.gaussian import Noise
from glam.training.learner import LossTermsError, StepContext, weighted_sum


def test_the_objective_is_the_weighted_sum():
    terms = {"a": torch.tensor(2.0), "b": torch.tensor(3.0)}
    assert weighted_sum(terms, {"b": 10.0, "a": 0.5}).item() == 31.0


@pytest.mark.parametrize("weights", [{"a": 1.0}, {"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 1.0, "c": 1.0}, {}])
def test_terms_and_weights_with_other_names_are_refused(weights):
    terms = {"a": torch.tensor(2.0), "b": torch.tensor(3.0)}
    with pytest.raises(LossTermsError, match=r"loss terms \['a', 'b'\] but weights"):
        weighted_sum(terms, weights)


def test_a_term_that_is_no_scalar_is_refused():
    with pytest.raises(LossTermsError, match=r"'a' has shape \(3,\)"):
        weighted_sum({"a": torch.zeros(3)}, {"a": 1.0})


@pytest.mark.parametrize(("step", "expected"), [(0, 0.0), (5, 0.5), (10, 1.0), (99, 1.0)])
def test_a_ramp_rises_over_its_share_of_the_steps(step, expected):
    assert StepContext(step, 100, Noise.seeded(0)).ramp(0.1) == expected
    assert StepContext(step, 100, Noise.seeded(0)).ramp(0.0) == 1.0
