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


def test_norms_are_those_of_the_weighted_gradients_where_losses_meet(toy, learner):
    norms = measured(toy, learner)
    terms = learner.losses(toy.batch_at(0), context_at(toy.CONFIG, 6, "probe"))
    for name, part in (("prior", "encoder"), ("action", "encoder"), ("action", "head"), ("prior", "head")):
        own = list(getattr(learner, part).parameters())
        gradients = torch.autograd.grad(learner.weights[name] * terms[name], own, retain_graph=True)
        whole = torch.cat([gradient.flatten() for gradient in gradients])
        assert norms[f"{name}.{part}"] == pytest.approx(whole.norm().item(), rel=1e-4)


def test_a_part_that_one_loss_alone_reaches_is_left_out(toy, learner):
    norms = measured(toy, learner)
    assert "image.decoder" not in norms
    assert "action.action" not in norms
    assert not any("spare" in name for name in norms)
    assert "image.head" not in norms
    assert {"prior.encoder", "action.encoder", "action.head", "prior.head"} <= norms.keys()


def test_the_norm_of_a_loss_is_that_over_all_parts_and_carries_its_weight(toy, learner, monkeypatch):
    norms = measured(toy, learner)
    parts = [value for name, value in norms.items() if name.startswith("action.")]
    assert norms["action"] == pytest.approx(sum(value**2 for value in parts) ** 0.5)
    monkeypatch.setattr(learner, "weights", learner.weights | {"action": 5.0})
    assert measured(toy, learner)["action"] == pytest.approx(10 * norms["action"], rel=1e-4)


def test_probing_leaves_no_trace(toy, learner):
    before = {name: tensor.clone() for name, tensor in learner.state_dict().items()}
    measured(toy, learner)
    assert all(torch.equal(tensor, before[name]) for name, tensor in learner.state_dict().items())
    assert all(parameter.grad is None for parameter in learner.parameters())


def test_a_constant_loss_pulls_on_nothing(toy, learner, monkeypatch):
    losses = learner.losses
    monkeypatch.setattr(learner, "losses", lambda *args: losses(*args) | {"prior": torch.tensor(2.0)})
    assert measured(toy, learner)["prior"] == 0
