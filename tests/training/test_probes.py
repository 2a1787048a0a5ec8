"""Gradient norms by loss and by part, without a trace in the learner."""

import pytest
import torch

from glam.training.optimisation import gradient_norms
from glam.training.reproducibility import context_at


@pytest.fixture
def learner(toy):
    return toy.new_toy()


def measured(toy, learner):
    return gradient_norms(learner, toy.batch_at(0), context_at(toy.CONFIG, 6, "probe"))


def test_norms_are_those_of_the_gradients(toy, learner):
    norms = measured(toy, learner)
    terms = learner.losses(toy.batch_at(0), context_at(toy.CONFIG, 6, "probe"))
    sum(learner.weights[name] * term for name, term in terms.items()).backward()
    for part in ("encoder", "head", "action", "quantiser"):
        gradients = [parameter.grad.flatten() for parameter in getattr(learner, part).parameters()]
        assert norms[f"part.{part}"] == pytest.approx(torch.cat(gradients).norm().item(), rel=1e-4)


def test_a_loss_pulls_only_on_what_it_depends_on(toy, learner):
    norms = measured(toy, learner)
    assert norms["term.image.part.head"] == 0
    assert norms["term.image.part.decoder"] > 0
    assert norms["term.action.part.decoder"] == 0
    assert norms["term.prior.part.head"] > 0
    assert norms["part.spare"] == 0


def test_the_norm_of_a_loss_is_that_over_all_parts_and_carries_its_weight(toy, learner, monkeypatch):
    norms = measured(toy, learner)
    parts = [value for name, value in norms.items() if name.startswith("term.action.part.")]
    assert norms["term.action"] == pytest.approx(sum(value**2 for value in parts) ** 0.5)
    monkeypatch.setattr(learner, "weights", learner.weights | {"action": 5.0})
    assert measured(toy, learner)["term.action"] == pytest.approx(10 * norms["term.action"], rel=1e-4)


def test_probing_leaves_no_trace(toy, learner):
    before = {name: tensor.clone() for name, tensor in learner.state_dict().items()}
    measured(toy, learner)
    assert all(torch.equal(tensor, before[name]) for name, tensor in learner.state_dict().items())
    assert all(parameter.grad is None for parameter in learner.parameters())


def test_a_constant_loss_pulls_on_nothing(toy, learner, monkeypatch):
    losses = learner.losses
    monkeypatch.setattr(learner, "losses", lambda *args: losses(*args) | {"prior": torch.tensor(2.0)})
    assert measured(toy, learner)["term.prior"] == 0
