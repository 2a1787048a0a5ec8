"""Both policies learn, act, and give gradients where they should."""

from dataclasses import replace

import pytest
import torch
from tests.policies import tiny

from glam.nn.gaussian import Noise
from glam.policies.batches import Chunks
from glam.policies.direct import DirectPolicy, DirectPolicyConfig
from glam.policies.heads.head import HeadOutput, chunk_error, unweighted
from glam.policies.latent import LatentPolicy, LatentPolicyConfig
from glam.policies.observation import ObservationEncoder
from glam.training.learner import StepContext, weighted_sum


def latent() -> LatentPolicy:
    torch.manual_seed(0)
    return LatentPolicy(LatentPolicyConfig(tiny.OBSERVATION, tiny.HEAD), tiny.SIZES, latent=8, action=8)


def direct() -> DirectPolicy:
    torch.manual_seed(0)
    return DirectPolicy(DirectPolicyConfig(tiny.OBSERVATION, tiny.HEAD), tiny.SIZES, action=8)


def output(chunks: Chunks, predicted: torch.Tensor) -> HeadOutput:
    """Two equal predictions."""
    predictions = unweighted([predicted, predicted])
    return HeadOutput(chunk_error(predictions, chunks.values, chunks.is_real), predictions)


def context(seed: int = 0) -> StepContext:
    return StepContext(0, 100, Noise.seeded(seed))


@pytest.mark.parametrize(("policy", "batch"), [(latent(), tiny.latent_batch()), (direct(), tiny.action_batch())])
def test_a_policy_can_learn_a_batch_by_heart(policy, batch) -> None:
    optimiser = torch.optim.Adam(policy.parameters(), lr=3e-3)
    totals = []
    for step in range(300):
        total = weighted_sum(policy.losses(batch, context(step)), policy.weights)
        optimiser.zero_grad()
        total.backward()
        optimiser.step()
        totals.append(total.item())
    assert totals[-1] < 0.5 * totals[0]


@pytest.mark.parametrize("policy", [latent(), direct()])
def test_acting_gives_chunks_of_actions_and_needs_no_noise(policy) -> None:
    observed = tiny.observations()
    assert policy.act(observed).shape == (6, 5, 8)
    assert torch.equal(policy.act(observed), policy.act(observed))


def test_what_actions_are_is_learnt_from_the_target_alone() -> None:
    policy = latent()
    first = policy.losses(tiny.with_auxiliary(0, 20), context())
    second = policy.losses(tiny.with_auxiliary(0, 25), context())
    for term in ("action", "decoding"):
        torch.testing.assert_close(first[term], second[term])
    for term in ("latent", "decoded"):
        assert first[term] != second[term]


def test_errors_that_no_action_depends_on_are_none_after_decoding() -> None:
    policy = latent()
    with torch.no_grad():
        policy.decoder.enter.weight[:, 3:] = 0.0
    batch = tiny.latent_batch()
    blind = replace(batch.auxiliary.latents, values=batch.auxiliary.latents.values.clone())
    blind.values[:, :, 3:] += 100.0
    moved = replace(batch, auxiliary=replace(batch.auxiliary, latents=blind))
    # The second step is given the labels: what it makes of them must not count here.
    policy.head.training_forward = lambda condition, chunks, noise: output(chunks, torch.zeros_like(chunks.values))
    before, after = policy.losses(batch, context()), policy.losses(moved, context())
    torch.testing.assert_close(before["decoded"], after["decoded"])
    assert after["latent"] > 100 * before["latent"]


def test_a_perfect_prediction_has_no_error_in_latents_nor_in_what_they_decode_to() -> None:
    policy, batch = latent(), tiny.latent_batch()
    policy.head.training_forward = lambda condition, chunks, noise: output(chunks, chunks.values)
    terms = policy.losses(batch, context())
    assert terms["latent"] == terms["decoded"] == 0.0
    torch.testing.assert_close(terms["action"], 2 * terms["decoding"])


def test_every_step_of_a_chunk_is_decoded_as_often_as_any_other() -> None:
    policy = latent()
    draws = [policy._drawn(Noise.seeded(seed)).tolist() for seed in range(1000)]
    assert all(len(set(draw)) == 2 for draw in draws)  # 0.35 of 5
    counts = torch.bincount(torch.tensor(draws).flatten(), minlength=5)
    assert counts.min() > 350
    assert counts.max() < 450


def test_the_action_loss_reaches_the_encoder() -> None:
    policy = latent()
    policy.losses(tiny.latent_batch(), context())["action"].backward()
    assert all(parameter.grad is not None for parameter in policy.observation.encoder.parameters())


def test_robot_state_is_dropped_for_half_of_the_samples_in_training_only() -> None:
    torch.manual_seed(0)
    observation = ObservationEncoder(tiny.SIZES, tiny.OBSERVATION)
    observed = tiny.observations(rows=400)
    varied = observation.training_forward(observed, tiny.keypoints(rows=400), Noise.seeded(0))[0].detach()
    assert 0.4 < float(varied[:, -1].mean()) < 0.6
    assert torch.all(varied[varied[:, -1] == 0][:, -9:-1] == 0)
    assert torch.all(observation(observed)[:, -1] == 1)


def test_pose_and_state_have_noise_in_training_only() -> None:
    torch.manual_seed(0)
    observation = ObservationEncoder(tiny.SIZES, replace(tiny.OBSERVATION, proprio_noise=0.3, state_dropout=0.0))
    observed = tiny.observations(rows=2000)
    truth = torch.cat([observed.pose, observed.state], dim=-1)
    varied = observation.training_forward(observed, tiny.keypoints(rows=2000), Noise.seeded(0))[0].detach()
    off = varied[:, 8:-1] - truth  # after the code, before the flag
    torch.testing.assert_close(off.std(0), torch.full((18,), 0.3), rtol=0.1, atol=0)
    assert torch.equal(observation(observed)[:, 8:-1], truth)


def test_objects_that_are_not_visible_do_not_count_in_the_keypoint_loss() -> None:
    torch.manual_seed(0)
    observation = ObservationEncoder(tiny.SIZES, tiny.OBSERVATION)
    keypoints = tiny.keypoints()
    hidden = replace(keypoints, centroids=keypoints.centroids + 100.0, is_seen=torch.zeros(6, 8))
    assert observation.training_forward(tiny.observations(), hidden, Noise.seeded(0))[1] == {"keypoints": 0.0}
