import json

import numpy as np
import pytest
from tests.world_models import tiny

from glam.core.errors import GlamError
from glam.data.normalizer import Normalizer, of_latents
from glam.data.schema import ACTION, EE_POSE, STATE


def test_poses_are_pooled_and_labels_are_the_targets_alone() -> None:
    (target, _), (_, auxiliary) = tiny.sources(), tiny.sources(seed=1)
    alone, both = Normalizer.fit(target, []), Normalizer.fit(target, [auxiliary])
    assert not np.array_equal(alone.pose.mean, both.pose.mean)
    assert np.array_equal(alone.state.mean, both.state.mean)
    assert np.array_equal(alone.action.std, both.action.std)


def test_held_out_episodes_leave_no_trace() -> None:
    target, _ = tiny.sources()
    before = Normalizer.fit(target, []).to_json()
    for values in (target.frames.ee_pose, target.frames.state, target.frames.action):
        values[target.split.held_out.frame_indices] = 1e6
    assert Normalizer.fit(target, []).to_json() == before


def test_a_pose_that_hardly_moves_is_divided_by_five_centimetres() -> None:
    target, _ = tiny.sources()
    target.frames.ee_pose[:, 0] = 0.5
    assert Normalizer.fit(target, []).pose.std[0] == np.float32(0.05)


def test_scales_survive_json_by_the_names_of_features() -> None:
    normalizer = Normalizer.fit(tiny.sources()[0], [])
    stored = json.loads(json.dumps(normalizer.to_json()))
    assert list(stored) == [EE_POSE, STATE, ACTION]
    assert Normalizer.from_json(stored).to_json() == normalizer.to_json()
    del stored[STATE]
    with pytest.raises(GlamError, match=rf"normalizer of {STATE}"):
        Normalizer.from_json(stored)


def test_a_latent_entry_that_hardly_moves_is_divided_by_a_thousandth() -> None:
    latents = np.zeros((4, 2), np.float32)
    latents[:, 1] = [-1, 1, -1, 1]
    assert of_latents([latents[:2], latents[2:]]).std.tolist() == [np.float32(1e-3), 1.0]
