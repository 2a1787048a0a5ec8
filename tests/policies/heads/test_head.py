"""Facts that hold for every registered policy head."""

from dataclasses import replace

import pytest
import torch
from tests.policies import tiny

from glam.core.configs import from_json, from_tagged_json, to_json
from glam.core.errors import GlamError
from glam.nn.gaussian import Noise
from glam.policies.batches import Chunks
from glam.policies.direct import DirectPolicy, DirectPolicyConfig
from glam.policies.heads import HEADS
from glam.policies.heads.head import HeadConfig, PolicyHead, Prediction, chunk_error, unweighted
from glam.policies.latent import LatentPolicy, LatentPolicyConfig
from glam.policies.trained import PolicyConfig
from glam.training.learner import StepContext


def config(name: str) -> HeadConfig:
    return HEADS.find(name)(chunk_size=5, layers=2, hidden=32)


def head(name: str) -> PolicyHead:
    torch.manual_seed(0)
    return config(name).build(12, 8)


def test_steps_beyond_the_end_of_an_episode_cost_nothing() -> None:
    truth = tiny.normal(3, 5, 8)
    is_real = torch.ones(3, 5, dtype=torch.bool)
    is_real[1, 2:] = False
    spoilt = truth.clone()
    spoilt[1, 2:] += 100.0
    assert chunk_error(unweighted([spoilt, spoilt]), truth, is_real) == 0.0


def test_the_weight_of_a_prediction_multiplies_its_samples_errors() -> None:
    truth, weight = torch.zeros(2, 5, 8), torch.tensor([[3.0], [0.0]])
    assert chunk_error([Prediction(truth + 1.0, weight)], truth, torch.ones(2, 5)) == pytest.approx(1.5)


@pytest.mark.parametrize("name", HEADS)
def test_a_stored_policy_is_rebuilt_from_its_config_alone(name: str) -> None:
    for policy in (LatentPolicyConfig(head=config(name)), DirectPolicyConfig(head=config(name))):
        assert from_json(PolicyConfig, to_json(policy)) == policy  # type: ignore[arg-type]  # a union
    assert HEADS.find(name)().kind == name


def test_a_stored_head_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(GlamError, match=r"head.kind: 'better' is not one of"):
        from_tagged_json(HEADS, {"kind": "better"}, "head")


@pytest.mark.parametrize("name", HEADS)
def test_samples_are_deterministic_and_do_not_depend_on_the_rest_of_the_batch(name: str) -> None:
    one, condition = head(name), tiny.normal(4, 12)
    assert one.sample(condition).shape == (4, 5, 8)
    torch.manual_seed(1)
    assert torch.equal(one.sample(condition), one.sample(condition))
    torch.testing.assert_close(one.sample(condition[2:3]), one.sample(condition)[2:3], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", HEADS)
def test_padded_steps_of_a_chunk_do_not_change_the_loss_of_the_others(name: str) -> None:
    """Only through the network's input, which training keeps: the loss itself counts real steps alone."""
    one, chunks = head(name), tiny.chunks(4)
    torch.nn.init.zeros_(one.network.leave.weight)
    is_real = chunks.is_real.clone()
    is_real[:, 3:] = False
    spoilt = chunks.values.clone()
    spoilt[:, 3:] += 100.0
    losses = [
        one.training_forward(tiny.normal(4, 12), Chunks(values, is_real), Noise.seeded(0)).loss
        for values in (chunks.values, spoilt)
    ]
    torch.testing.assert_close(*losses)


@pytest.mark.parametrize("name", HEADS)
def test_every_weight_learns_from_the_loss_and_from_the_predictions(name: str) -> None:
    for part in ("loss", "predictions"):
        one = head(name)
        output = one.training_forward(tiny.normal(4, 12), tiny.chunks(4), Noise.seeded(0))
        total = output.loss if part == "loss" else sum(p.chunk.square().sum() for p in output.predictions)
        total.backward()
        assert all(weight.grad is not None and weight.grad.abs().sum() > 0 for weight in one.parameters())
        assert all(p.chunk.shape == (4, 5, 8) and p.weight.shape == (4, 1) for p in output.predictions)


@pytest.mark.parametrize("name", HEADS)
def test_both_policies_act_with_every_head_and_the_action_loss_reaches_encoder_and_head(name: str) -> None:
    torch.manual_seed(0)
    context = StepContext(0, 100, Noise.seeded(0))
    latent = LatentPolicy(LatentPolicyConfig(tiny.OBSERVATION, config(name)), tiny.SIZES, latent=8, action=8)
    direct = DirectPolicy(DirectPolicyConfig(tiny.OBSERVATION, config(name)), tiny.SIZES, action=8)
    for policy, batch in ((latent, tiny.latent_batch()), (direct, tiny.action_batch())):
        policy.losses(batch, context)["action"].backward()
        for module in (policy.observation.encoder, policy.head):
            assert all(weight.grad is not None for weight in module.parameters())
        assert policy.act(tiny.observations()).shape == (6, 5, 8)


@pytest.mark.parametrize("name", HEADS)
def test_after_a_short_training_a_sample_is_the_mean_of_the_chunks_of_its_condition(name: str) -> None:
    """Chunks of a toy: a linear function of the condition plus small noise, of which nothing can be known."""
    torch.manual_seed(0)
    one, noise = replace(config(name), hidden=64).build(3, 2), Noise.seeded(0)
    mapping = tiny.normal(3, 10)
    optimizer = torch.optim.Adam(one.parameters(), lr=3e-3)
    for _ in range(400):
        condition = noise.normal(64, 3)
        truth = (condition @ mapping / 2).view(64, 5, 2) + 0.1 * noise.normal(64, 5, 2)
        loss = one.training_forward(condition, Chunks(truth, torch.ones(64, 5, dtype=torch.bool)), noise).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    condition = Noise.seeded(5).normal(64, 3)
    mean = (condition @ mapping / 2).view(64, 5, 2)
    with torch.no_grad():
        error = (one.sample(condition) - mean).square().mean() / mean.var()
    assert float(error) < 0.05
