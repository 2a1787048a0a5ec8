"""Tracks, and poses that only some sources have, in the observation of a policy."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from tests.policies import tiny
from tests.world_models import tiny as sources
from tests.world_models.test_known_features import tracked

from glam.core.errors import GlamError
from glam.data.normalizer import Normalizer
from glam.nn.gaussian import Noise
from glam.policies.observation import ObservationEncoder
from glam.policies.sources import LabelledPolicySource, PolicySource
from glam.policies.trained import observations

GROUPS = (10, 2, 2)
"""An optional pose and two points."""
SIZES = replace(tiny.SIZES, pose=17, keypoints=0, groups=GROUPS)
ROWS = 4000


def known(rows=ROWS):
    """Samples with a pose, one visible and one hidden point."""
    pose = torch.ones(rows, 17)
    pose[:, 12:14] = pose[:, 16] = 0.0
    return replace(
        tiny.observations(),
        encoder_inputs=torch.rand(rows, 2, 3, 16, 16),
        pose=pose,
        state=torch.ones(rows, 8),
        has_state=torch.ones(rows, 1),
    )


@pytest.fixture(scope="module")
def condition():
    """c_t of training samples without the visual code: hands, state, its flag."""
    encoder = ObservationEncoder(SIZES, replace(tiny.OBSERVATION, color_jitter=0.0))
    with torch.no_grad():
        return encoder.training_forward(known(), tiny.keypoints(), Noise.seeded(0))[0][:, -26:]


def test_pose_tracks_and_state_are_dropped_each_for_itself(condition):
    flags = torch.stack([condition[:, 14], condition[:, 15], condition[:, 25]])
    assert flags.mean(1).tolist() == pytest.approx([0.5, 0.5, 0.5], abs=0.04)
    assert torch.corrcoef(flags).fill_diagonal_(0.0).abs().max() < 0.06


def test_what_is_dropped_or_hidden_is_zero_and_noise_is_on_the_rest_alone(condition):
    for entries, flag in ((slice(0, 10), 14), (slice(10, 12), 15), (slice(12, 14), 16)):
        is_known = condition[:, flag] == 1
        assert (condition[~is_known][:, entries] == 0).all()
        assert (condition[is_known][:, entries] != 0).all()
        assert set(condition[:, flag].unique().tolist()) <= {0.0, 1.0}
    assert (condition[:, 16] == 0).all()


def both(cls, source):
    return cls(source.name, source.frames, source.split)


def test_a_target_keeps_its_pose_where_another_source_has_tracks_alone():
    target, other = sources.sources()
    robot = both(LabelledPolicySource, tracked(target))
    hand = both(PolicySource, tracked(other, has_pose=False))
    normalizer = Normalizer.fit(robot, [hand])
    mine, its = (part._pose(np.arange(5), normalizer) for part in (robot, hand))
    assert mine.shape == its.shape == (5, 10 + 8 + 5)
    assert (mine[:, 18] == 1).all()
    assert (its[:, 18] == 0).all()
    assert (its[:, :10] == 0).all()
    assert its[:, 19:].mean() > 0.5


def test_a_policy_acts_with_and_without_what_it_may_not_know():
    target, other = sources.sources()
    robot, hand = both(LabelledPolicySource, tracked(target)), both(PolicySource, tracked(other, has_pose=False))
    normalizer = Normalizer.fit(robot, [hand])
    poses, states = torch.ones(2, 10), torch.ones(2, 8)
    tracks = np.full((2, 12), 1.0, np.float32)
    whole = observations(torch.rand(2, 2, 3, 16, 16), poses, states, normalizer, tracks)
    assert (whole.pose[:, 18:] == 1).all()
    assert (whole.has_state == 1).all()
    bare = observations(torch.rand(2, 2, 3, 16, 16), poses[:, :0], states[:, :0], normalizer)
    assert (bare.pose == 0).all()
    assert (bare.state == 0).all()
    assert (bare.has_state == 0).all()


def test_tracks_of_another_size_and_poses_that_are_always_needed_are_refused():
    target, other = sources.sources()
    robot, hand = both(LabelledPolicySource, tracked(target)), both(PolicySource, tracked(other))
    normalizer = Normalizer.fit(robot, [hand])
    images, states = torch.rand(2, 2, 3, 16, 16), torch.ones(2, 8)
    with pytest.raises(GlamError, match="tracks of 6 numbers; the policy was trained with 12"):
        observations(images, torch.ones(2, 10), states, normalizer, np.ones((2, 6), np.float32))
    with pytest.raises(GlamError, match="poses of 0 numbers"):
        observations(images, torch.ones(2, 0), states, normalizer)
