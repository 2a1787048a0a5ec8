from functools import partial

import numpy as np
import pytest
import torch
from tests.world_models import tiny

from glam.core.errors import GlamError
from glam.data.normalizer import Normalizer
from glam.world_models.batches import COLOURS, MixedBatches, TrainingView, WindowBatchConfig, sizes_of


def test_the_action_of_a_window_takes_each_frame_to_the_next() -> None:
    """The index law: the action was made from the pose of the row after it."""
    target, auxiliary = tiny.sources()
    normalizer = Normalizer.fit(target, [auxiliary])
    batch = MixedBatches(target, [auxiliary], normalizer, WindowBatchConfig(6, 4, 4), seed=0)(0)
    pose = normalizer.pose.denormalize(batch.target.pose.numpy())
    action = normalizer.action.denormalize(batch.target.action.numpy())
    mix, *_ = np.linalg.lstsq(target.frames.ee_pose[1:12], target.frames.action[:11], rcond=None)
    np.testing.assert_allclose(action[:, :-1], pose[:, 1:] @ mix, atol=1e-4)


def test_a_batch_is_a_function_of_seed_and_step() -> None:
    target, auxiliary = tiny.sources()
    normalizer = Normalizer.fit(target, [auxiliary])
    first, again, other = (
        MixedBatches(target, [auxiliary], normalizer, WindowBatchConfig(4, 2, 2), seed)(7) for seed in (0, 0, 1)
    )
    assert torch.equal(first.target.image, again.target.image)
    assert not torch.equal(first.target.pose, other.target.pose)


def test_the_poses_for_the_idm_have_rotation_noise_and_nothing_else_moves() -> None:
    target, auxiliary = tiny.sources()
    normalizer = Normalizer.fit(target, [auxiliary])
    view = TrainingView(idm_rotation_noise=1.0)
    batches = MixedBatches(target, [auxiliary], normalizer, WindowBatchConfig(6, 200, 200), 0, view)
    batch = batches(3)
    for part in (batch.target, batch.auxiliary):
        moved = normalizer.pose.denormalize(part.idm_pose.numpy()) - normalizer.pose.denormalize(part.pose.numpy())
        assert np.abs(moved[..., [0, 1, 2, 9]]).max() < 1e-5
        length = np.linalg.norm(normalizer.pose.denormalize(part.pose.numpy())[..., 3:6], axis=-1)
        across = np.linalg.norm(moved[..., 3:6], axis=-1) / length  # two of the three axes move a column
        assert np.sqrt((across**2).mean()) == pytest.approx(np.radians(1.0) * 2**0.5, rel=0.05)
    assert torch.equal(batch.target.idm_pose, batches(3).target.idm_pose)
    assert not torch.equal(batch.target.idm_pose - batch.target.pose, batch.auxiliary.idm_pose - batch.auxiliary.pose)


def test_frames_ahead_stay_in_the_episode_and_repeat_its_last_frame() -> None:
    target, auxiliary = tiny.sources()
    normalizer = Normalizer.fit(target, [auxiliary])
    config, view = WindowBatchConfig(10, 8, 8), TrainingView(frames_ahead=3)
    plain = MixedBatches(target, [auxiliary], normalizer, config, 0)(2)
    batch = MixedBatches(target, [auxiliary], normalizer, config, 0, view)(2)
    assert batch.target.pose.shape == (8, 13, 10)
    assert torch.equal(batch.target.action[:, :10], plain.target.action)
    last = normalizer.pose.normalize(target.frames.ee_pose[target.split.train.ends - 1])
    for windows in (batch.target, batch.auxiliary):
        assert torch.equal(windows.pose[:, -1], windows.pose[:, -2])  # an episode has 12 frames
        assert all(any(np.array_equal(window[-1], one) for one in last) for window in windows.pose.numpy())


def test_images_are_augmented_in_training_alone_and_the_same_in_every_process() -> None:
    target, auxiliary = tiny.sources()
    normalizer = Normalizer.fit(target, [auxiliary])
    make = partial(MixedBatches, target, [auxiliary], normalizer, WindowBatchConfig(4, 2, 2), 0)
    plain, first, again = (
        make()(5),
        make(TrainingView(augmentation=COLOURS))(5),
        make(TrainingView(augmentation=COLOURS))(5),
    )
    for name in ("target", "auxiliary"):
        seen, before = getattr(first, name), getattr(plain, name)
        assert torch.equal(seen.image, getattr(again, name).image)
        assert not torch.equal(seen.image, before.image)
        assert torch.equal(seen.pose, before.pose)
    assert torch.equal(target.windows(np.array([[0, 1]]), normalizer).image, target.image(np.array([[0, 1]])))


def test_labelling_and_probes_use_exact_poses() -> None:
    target, auxiliary = tiny.sources()
    windows = target.windows(np.array([[0, 1]]), Normalizer.fit(target, [auxiliary]))
    assert torch.equal(windows.idm_pose, windows.pose)


def test_any_number_of_auxiliary_sources_shares_the_auxiliary_half() -> None:
    target, auxiliary = tiny.sources()
    normalizer = Normalizer.fit(target, [auxiliary, auxiliary])
    batch = MixedBatches(target, [auxiliary, auxiliary], normalizer, WindowBatchConfig(4, 3, 8), seed=0)(0)
    assert batch.auxiliary.pose.shape == (8, 4, 10)
    assert batch.target.pose.shape == (3, 4, 10)


def test_held_out_episodes_are_never_in_a_batch() -> None:
    target, auxiliary = tiny.sources()
    unseen = target.split.held_out.frame_indices
    target.frames.ee_pose[unseen] = 1e6
    normalizer = Normalizer.fit(target, [])
    batches = MixedBatches(target, [auxiliary], normalizer, WindowBatchConfig(4, 8, 1), seed=0)
    assert all(batches(step).target.pose.abs().max() < 100 for step in range(20))


def test_views_are_stacked_as_channels_in_order() -> None:
    target, _ = tiny.sources()
    image = target.image(np.array([[0, 1]]))
    masks = list(target.frames.masks.values())
    assert image.shape == (1, 2, 4, 16, 16)
    np.testing.assert_array_equal(image[0, 1, 2].numpy() * 255, masks[1][1, :, :, 0])


def test_sizes_come_from_the_data() -> None:
    assert sizes_of(tiny.sources()[0], Normalizer.fit(tiny.sources()[0], []), latent=8) == tiny.SIZES


def test_each_of_many_auxiliary_sources_has_a_window_however_small_it_is() -> None:
    target, auxiliary = tiny.sources()
    normalizer = Normalizer.fit(target, [auxiliary])
    batch = MixedBatches(target, [auxiliary] * 5, normalizer, WindowBatchConfig(4, 2, 2), seed=0)(0)
    assert batch.auxiliary.pose.shape == (5, 4, 10)


def test_windows_longer_than_every_episode_are_refused() -> None:
    target, auxiliary = tiny.sources()
    with pytest.raises(GlamError, match="no episode has 13 frames"):
        MixedBatches(target, [auxiliary], Normalizer.fit(target, [auxiliary]), WindowBatchConfig(13, 2, 2), seed=0)
