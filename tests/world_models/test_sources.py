from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.world_models import tiny

from glam.core.errors import GlamError
from glam.data.normalizer import Normalizer
from glam.data.reader import Dataset
from glam.data.schema import Schema
from glam.world_models.sources import (
    BatchConfig,
    MixedBatches,
    require_alike,
    require_target,
    shared_features,
    sizes_of,
)
from glam.world_models.states import StatesConfig

IMAGES, MASKS = StatesConfig(observation="images"), StatesConfig(observation="masks")


def test_the_action_of_a_window_takes_each_frame_to_the_next() -> None:
    """The index law: the action was made from the pose of the row after it."""
    target, auxiliary = tiny.sources()
    normalizer = Normalizer.fit(target, [auxiliary])
    batch = MixedBatches(target, [auxiliary], normalizer, BatchConfig(6, 4, 4), seed=0)(0)
    pose = normalizer.pose.denormalize(batch.target.pose.numpy())
    action = normalizer.action.denormalize(batch.target.action.numpy())
    mix, *_ = np.linalg.lstsq(target.frames.ee_pose[1:12], target.frames.action[:11], rcond=None)
    np.testing.assert_allclose(action[:, :-1], pose[:, 1:] @ mix, atol=1e-4)


def test_a_batch_is_a_function_of_seed_and_step() -> None:
    target, auxiliary = tiny.sources()
    normalizer = Normalizer.fit(target, [auxiliary])
    first, again, other = (
        MixedBatches(target, [auxiliary], normalizer, BatchConfig(4, 2, 2), seed)(7) for seed in (0, 0, 1)
    )
    assert torch.equal(first.target.image, again.target.image)
    assert not torch.equal(first.target.pose, other.target.pose)


def test_batches_also_tell_poses_with_hands_turned_a_little_and_nothing_else_moved() -> None:
    target, auxiliary = tiny.sources()
    normalizer = Normalizer.fit(target, [auxiliary])
    batches = MixedBatches(target, [auxiliary], normalizer, BatchConfig(6, 200, 200), 0, idm_rotation_noise=1.0)
    batch = batches(3)
    for part in (batch.target, batch.auxiliary):
        moved = normalizer.pose.denormalize(part.idm_pose.numpy()) - normalizer.pose.denormalize(part.pose.numpy())
        assert np.abs(moved[..., [0, 1, 2, 9]]).max() < 1e-5
        length = np.linalg.norm(normalizer.pose.denormalize(part.pose.numpy())[..., 3:6], axis=-1)
        across = np.linalg.norm(moved[..., 3:6], axis=-1) / length  # two of the three axes move a column
        assert np.sqrt((across**2).mean()) == pytest.approx(np.radians(1.0) * 2**0.5, rel=0.05)
    assert torch.equal(batch.target.idm_pose, batches(3).target.idm_pose)
    assert not torch.equal(batch.target.idm_pose - batch.target.pose, batch.auxiliary.idm_pose - batch.auxiliary.pose)


def test_what_is_labelled_or_probed_is_seen_as_it_is() -> None:
    target, auxiliary = tiny.sources()
    windows = target.windows(np.array([[0, 1]]), Normalizer.fit(target, [auxiliary]))
    assert torch.equal(windows.idm_pose, windows.pose)


def test_any_number_of_auxiliary_sources_shares_the_auxiliary_half() -> None:
    target, auxiliary = tiny.sources()
    normalizer = Normalizer.fit(target, [auxiliary, auxiliary])
    batch = MixedBatches(target, [auxiliary, auxiliary], normalizer, BatchConfig(4, 3, 8), seed=0)(0)
    assert batch.auxiliary.pose.shape == (8, 4, 10)
    assert batch.target.pose.shape == (3, 4, 10)


def test_held_out_episodes_are_never_in_a_batch() -> None:
    target, auxiliary = tiny.sources()
    unseen = target.split.held_out.rows
    target.frames.ee_pose[unseen] = 1e6
    normalizer = Normalizer.fit(target, [])
    batches = MixedBatches(target, [auxiliary], normalizer, BatchConfig(4, 8, 1), seed=0)
    assert all(batches(step).target.pose.abs().max() < 100 for step in range(20))


def test_views_are_stacked_as_channels_in_order() -> None:
    target, _ = tiny.sources()
    image = target.image(np.array([[0, 1]]))
    masks = list(target.frames.masks.values())
    assert image.shape == (1, 2, 4, 16, 16)
    np.testing.assert_array_equal(image[0, 1, 2].numpy() * 255, masks[1][1, :, :, 0])


def test_sizes_come_from_the_data() -> None:
    assert sizes_of(tiny.sources()[0], latent=8) == tiny.SIZES


@pytest.mark.parametrize(
    ("field", "value"),
    [("fps", 20), ("arms", ("left", "right")), ("objects", ("red",))],
)
def test_an_auxiliary_source_with_other_features_is_refused_by_name(field: str, value: object) -> None:
    other = dataset("auxiliary", replace(tiny.SCHEMA, **{field: value}))
    with pytest.raises(GlamError, match=f"auxiliary: {field} is"):
        require_alike(dataset("target", tiny.SCHEMA), other, MASKS)


def test_objects_matter_to_methods_on_masks_alone() -> None:
    other = dataset("auxiliary", replace(tiny.SCHEMA, objects=()))
    require_alike(dataset("target", tiny.SCHEMA), other, IMAGES)
    require_target(other, IMAGES)
    with pytest.raises(GlamError, match="auxiliary: has no object masks"):
        require_target(other, MASKS)


def test_a_target_must_have_actions() -> None:
    with pytest.raises(GlamError, match="target: an auxiliary set, without action"):
        require_target(dataset("target", replace(tiny.SCHEMA, state_names=(), action_names=())), IMAGES)


def test_a_set_without_a_pose_is_for_methods_without_one() -> None:
    other = dataset("auxiliary", replace(tiny.SCHEMA, has_pose=False))
    with pytest.raises(GlamError, match=r"auxiliary: has no end-effector pose, which this method needs; .*-no-pose"):
        require_alike(dataset("target", tiny.SCHEMA), other, MASKS)
    require_alike(dataset("target", tiny.SCHEMA), other, replace(MASKS, has_pose=False))


def test_what_not_all_sets_have_is_left_out_and_told(caplog: pytest.LogCaptureFixture) -> None:
    target, mine = tiny.SCHEMA.cameras, dataset("target", tiny.SCHEMA)
    other = dataset("auxiliary", replace(tiny.SCHEMA, cameras=("wrist", target[0]), has_pose=False))
    found = shared_features([mine, other])
    assert (found.cameras, found.has_pose, found.has_masks) == ((target[0],), False, True)
    assert f"target: left out is the camera {target[1]} and the end-effector pose, which not all" in caplog.text
    assert "auxiliary: left out is the camera wrist, which not all" in caplog.text


def test_sets_without_a_common_camera_are_refused() -> None:
    other = dataset("auxiliary", replace(tiny.SCHEMA, cameras=("wrist",)))
    with pytest.raises(GlamError, match=r"no camera is common to all datasets: target has .*; auxiliary has wrist"):
        shared_features([dataset("target", tiny.SCHEMA), other])


def test_each_of_many_auxiliary_sources_has_a_window_however_small_it_is() -> None:
    target, auxiliary = tiny.sources()
    normalizer = Normalizer.fit(target, [auxiliary])
    batch = MixedBatches(target, [auxiliary] * 5, normalizer, BatchConfig(4, 2, 2), seed=0)(0)
    assert batch.auxiliary.pose.shape == (5, 4, 10)


def dataset(name: str, schema: Schema) -> Dataset:
    return Dataset(Path(name), schema, (), {})


def test_windows_longer_than_every_episode_are_refused() -> None:
    target, auxiliary = tiny.sources()
    with pytest.raises(GlamError, match="no episode has 13 frames"):
        MixedBatches(target, [auxiliary], Normalizer.fit(target, [auxiliary]), BatchConfig(13, 2, 2), seed=0)
