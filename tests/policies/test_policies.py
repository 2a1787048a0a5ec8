"""Both policies learn, act, and give gradients where they should."""

from dataclasses import replace

import pytest
import torch
from tests.policies import tiny

from glam.nn.noise import Noise
from glam.policies.condition import Condition
from glam.policies.direct import DirectPolicy, DirectPolicyConfig
from glam.policies.latent import LatentPolicy, LatentPolicyConfig
from glam.training.learner import StepContext, weighted_sum


def latent() -> LatentPolicy:
    torch.manual_seed(0)
    return LatentPolicy(LatentPolicyConfig(tiny.CONDITION, tiny.HEAD), tiny.SIZES, latent=8, action=8)


def direct() -> DirectPolicy:
    torch.manual_seed(0)
    return DirectPolicy(DirectPolicyConfig(tiny.CONDITION, tiny.HEAD), tiny.SIZES, action=8)


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
    seen = tiny.observations()
    assert policy.act(seen).shape == (6, 5, 8)
    assert torch.equal(policy.act(seen), policy.act(seen))


def test_auxiliary_rows_teach_the_head_but_never_the_decoder() -> None:
    policy = latent()
    first = policy.losses(tiny.with_auxiliary(0, 20), context())
    second = policy.losses(tiny.with_auxiliary(0, 25), context())
    torch.testing.assert_close(first["action"], second["action"])
    assert first["latent"] != second["latent"]


def test_the_action_loss_reaches_the_eyes() -> None:
    policy = latent()
    policy.losses(tiny.latent_batch(), context())["action"].backward()
    assert all(parameter.grad is not None for parameter in policy.condition.eyes.parameters())


def test_robot_state_is_hidden_from_half_of_the_rows_while_training_only() -> None:
    torch.manual_seed(0)
    condition = Condition(tiny.SIZES, tiny.CONDITION)
    seen = tiny.observations(rows=400)
    varied = condition.teach(seen, tiny.keypoints(rows=400), Noise.seeded(0))[0].detach()
    assert 0.4 < float(varied[:, -1].mean()) < 0.6
    assert torch.all(varied[varied[:, -1] == 0][:, -9:-1] == 0)
    assert torch.all(condition(seen)[:, -1] == 1)


def test_pose_and_state_are_blurred_while_training_only() -> None:
    torch.manual_seed(0)
    condition = Condition(tiny.SIZES, replace(tiny.CONDITION, noise=0.3, hidden_state_share=0.0))
    seen = tiny.observations(rows=2000)
    truth = torch.cat([seen.pose, seen.state], dim=-1)
    varied = condition.teach(seen, tiny.keypoints(rows=2000), Noise.seeded(0))[0].detach()
    off = varied[:, 8:-1] - truth  # after the code, before the flag
    torch.testing.assert_close(off.std(0), torch.full((18,), 0.3), rtol=0.1, atol=0)
    assert torch.equal(condition(seen)[:, 8:-1], truth)


def test_objects_that_are_not_seen_are_no_lesson() -> None:
    torch.manual_seed(0)
    condition = Condition(tiny.SIZES, tiny.CONDITION)
    lesson = tiny.keypoints()
    hidden = replace(lesson, centroids=lesson.centroids + 100.0, is_seen=torch.zeros(6, 8))
    assert condition.teach(tiny.observations(), hidden, Noise.seeded(0))[1] == 0.0
