"""One step: what it changes, what it reports, and what stops it before anything has changed."""

from dataclasses import replace

import pytest
import torch

from glam.training.batches import ALONE, Processes
from glam.training.checkpoint import TrainingState
from glam.training.fit import gradient_step
from glam.training.learner import FitConfig, LossTermsError
from glam.training.optimisation import NonFiniteError, learning_rate
from glam.training.reproducibility import context_at


@pytest.fixture
def state(toy):
    return TrainingState(toy.new_toy(), toy.CONFIG, torch.device("cpu"))


def weights(state):
    parts = state.checkpoint(0, {}).tensors
    kept = ("usage", "squared_error", "rows_seen")  # counters of a forward pass, not weights
    return {name: tensor.clone() for part in parts.values() for name, tensor in part.items() if not name.endswith(kept)}


def assert_unchanged(state, before):
    after = weights(state)
    assert after.keys() == before.keys()
    assert all(torch.equal(after[name], tensor) for name, tensor in before.items())


def test_a_step_reports_losses_rate_and_norm(toy, state):
    values = gradient_step(state, toy.batch_at(0), 0, toy.CONFIG, ALONE)
    names = {"loss", "loss.image", "loss.action", "loss.prior", "learning_rate", "grad_norm"}
    assert values.keys() == names
    total = sum(weight * values[f"loss.{name}"] for name, weight in toy.WEIGHTS.items())
    assert values["loss"] == pytest.approx(total, rel=1e-5)
    assert values["learning_rate"] == learning_rate(toy.CONFIG, 0)
    assert values["grad_norm"] > 0


def test_a_step_is_adamw_on_the_weighted_losses(toy, state):
    other = toy.new_toy()
    optimiser = torch.optim.AdamW(other.parameters(), lr=learning_rate(toy.CONFIG, 0), weight_decay=0.0)
    config = replace(toy.CONFIG, weight_decay=0.0, grad_clip=0.0)
    terms = other.losses(toy.batch_at(0), context_at(config, 0, "losses"))
    sum(other.weights[name] * term for name, term in terms.items()).backward()
    optimiser.step()
    plain = TrainingState(toy.new_toy(), config, torch.device("cpu"))
    gradient_step(plain, toy.batch_at(0), 0, config, ALONE)
    for name, parameter in plain.learner.named_parameters():
        torch.testing.assert_close(parameter, other.get_parameter(name), rtol=1e-5, atol=1e-7)


def test_a_gradient_longer_than_allowed_is_clipped_and_reported_as_it_was(toy, state):
    config = replace(toy.CONFIG, grad_clip=1e-3)
    values = gradient_step(state, toy.batch_at(0), 0, config, ALONE)
    norms = [parameter.grad.norm() for parameter in state.learner.parameters() if parameter.grad is not None]
    assert torch.stack(norms).norm().item() == pytest.approx(1e-3, rel=1e-3)
    assert values["grad_norm"] > 1e-2


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_batch_that_is_not_finite_stops_the_step_by_name(toy, state, value):
    batch, before = toy.batch_at(0), weights(state)
    batch.target.action[1, 0] = value
    with pytest.raises(NonFiniteError, match=r"step 0: loss term 'action' is (nan|inf) \(batch\.target\.action is not"):
        gradient_step(state, batch, 0, toy.CONFIG, ALONE)
    assert_unchanged(state, before)


def test_a_loss_that_is_not_finite_stops_the_step_by_name(toy, state, monkeypatch):
    losses, before = state.learner.losses, weights(state)
    monkeypatch.setattr(state.learner, "losses", lambda *args: losses(*args) | {"prior": torch.tensor(0.0).log()})
    with pytest.raises(NonFiniteError, match=r"step 4: loss term 'prior' is -inf \(the batch is finite"):
        gradient_step(state, toy.batch_at(4), 4, toy.CONFIG, ALONE)
    assert_unchanged(state, before)


def test_finite_losses_with_an_infinite_sum_stop_the_step(toy, state, monkeypatch):
    losses = state.learner.losses
    monkeypatch.setattr(state.learner, "losses", lambda *args: losses(*args) | {"prior": torch.tensor(3e38)})
    monkeypatch.setattr(state.learner, "weights", toy.WEIGHTS | {"prior": 1e30})
    with pytest.raises(NonFiniteError, match="loss term 'sum of all' is inf"):
        gradient_step(state, toy.batch_at(0), 0, toy.CONFIG, ALONE)


def test_a_gradient_that_is_not_finite_stops_the_step_by_parameter(toy, state):
    before = weights(state)
    bias = state.learner.action[2].bias
    bias.register_hook(lambda gradient: gradient * float("nan"))
    with pytest.raises(NonFiniteError, match=r"step 0: the gradient of parameter 'action\.2\.bias' is not finite"):
        gradient_step(state, toy.batch_at(0), 0, toy.CONFIG, ALONE)
    assert_unchanged(state, before)


def test_losses_without_their_weights_stop_the_step(toy, state, monkeypatch):
    monkeypatch.setattr(state.learner, "weights", {"image": 1.0})
    with pytest.raises(LossTermsError, match="but weights"):
        gradient_step(state, toy.batch_at(0), 0, toy.CONFIG, ALONE)


def test_what_follows_a_step_happens_after_it_with_noise_of_its_own(toy, state, monkeypatch):
    seen = []
    monkeypatch.setattr(
        state.learner, "after_step", lambda context: seen.append((context.step, bool(state.optimiser.state)))
    )
    gradient_step(state, toy.batch_at(7), 7, toy.CONFIG, ALONE)
    assert seen == [(7, True)]


class GpuThatIsACpu(Processes):
    def device(self, name):
        return torch.device("cpu")


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_mixed_precision_takes_nearly_the_same_steps(toy, precision):
    config = replace(toy.CONFIG, device="cuda", precision=precision)
    mixed = TrainingState(toy.new_toy(), config, torch.device("cpu"))
    plain = TrainingState(toy.new_toy(), toy.CONFIG, torch.device("cpu"))
    for step in range(2):
        found = gradient_step(mixed, toy.batch_at(step), step, config, GpuThatIsACpu())
        expected = gradient_step(plain, toy.batch_at(step), step, toy.CONFIG, ALONE)
        assert found["loss"] != expected["loss"], "half precision was used"
        assert found["loss"] == pytest.approx(expected["loss"], rel=0.05)
    assert all(parameter.dtype == torch.float32 for parameter in mixed.learner.parameters())


def test_with_fp16_an_overflow_skips_the_step_and_halves_the_scale(toy):
    config = replace(toy.CONFIG, device="cuda", precision="fp16", ema_decay=0.0)
    state = TrainingState(toy.new_toy(), config, torch.device("cpu"))
    state.learner.action[2].bias.register_hook(lambda gradient: gradient * float("inf"))
    before, scale = weights(state), state.scaler.get_scale()
    values = gradient_step(state, toy.batch_at(0), 0, config, GpuThatIsACpu())
    assert "grad_norm" not in values
    assert state.scaler.get_scale() == scale / 2
    assert all(torch.equal(parameter, before[name]) for name, parameter in state.learner.named_parameters())
    while state.scaler.get_scale() > 1.0:
        gradient_step(state, toy.batch_at(1), 1, config, GpuThatIsACpu())
    with pytest.raises(NonFiniteError, match=r"parameter 'action\.2\.bias'"):
        gradient_step(state, toy.batch_at(1), 1, config, GpuThatIsACpu())


def test_full_precision_is_the_default():
    assert FitConfig().precision == "fp32"
