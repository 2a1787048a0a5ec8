"""Errors of a policy on episodes that it did not learn from."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from tests.policies import tiny
from tests.policies.test_sources import parts

from glam.policies.batches import Observations
from glam.policies.direct import DirectPolicy, DirectPolicyConfig
from glam.policies.sources import held_out_error, recorded


@pytest.fixture
def policy() -> DirectPolicy:
    return DirectPolicy(DirectPolicyConfig(tiny.OBSERVATION, tiny.HEAD), tiny.SIZES, action=8)


def test_a_policy_that_is_always_right_has_no_error(policy: DirectPolicy, monkeypatch: pytest.MonkeyPatch) -> None:
    target, _, normalizer = parts()
    rows = np.setdiff1d(target.frames.episodes.frame_indices, target.train.frame_indices)
    truth = recorded(target, rows, normalizer, 5).actions.values
    monkeypatch.setattr(policy, "act", lambda observed: truth)
    found = held_out_error(policy, target, normalizer)
    assert found.action_error == found.first_action_error == 0.0
    assert found.frames == len(rows) == 24


def test_the_mean_action_has_an_error_of_about_one(policy: DirectPolicy, monkeypatch: pytest.MonkeyPatch) -> None:
    target, _, normalizer = parts()

    def mean(observed: Observations) -> torch.Tensor:
        return torch.zeros(len(observed.pose), 5, 8)

    monkeypatch.setattr(policy, "act", mean)
    found = held_out_error(policy, target, normalizer)
    assert found.action_error == pytest.approx(1.0, abs=0.3)
    assert found.first_action_error == pytest.approx(1.0, abs=0.3)


def test_training_episodes_do_not_count(policy: DirectPolicy) -> None:
    target, _, normalizer = parts()
    before = held_out_error(policy, target, normalizer)
    action = target.frames.action.copy()
    action[target.train.frame_indices] += 5.0
    assert held_out_error(policy, replace(target, frames=replace(target.frames, action=action)), normalizer) == before


def test_the_keypoint_error_is_in_pixels(policy: DirectPolicy, monkeypatch: pytest.MonkeyPatch) -> None:
    target, _, normalizer = parts()
    assert held_out_error(policy, target, normalizer).keypoint_error > 0.0
    rows = np.setdiff1d(target.frames.episodes.frame_indices, target.train.frame_indices)
    truth = recorded(target, rows, normalizer, 5).keypoints.centroids
    beside = 2.0 / (tiny.OBSERVATION.encoder.pixels - 1)  # centroids reach from -1 to 1
    monkeypatch.setattr(policy.observation, "keypoints", lambda observed: truth + beside)
    assert held_out_error(policy, target, normalizer).keypoint_error == pytest.approx(1.0, rel=1e-5)
    blind = replace(target, frames=replace(target.frames, masks={}), keypoint_size=truth.shape[1])
    assert held_out_error(policy, blind, normalizer).keypoint_error == 0.0
