from dataclasses import replace

import numpy as np
import pytest

from glam.data.cache import decoded
from glam.data.frames import LabelledFrames
from glam.data.reader import Dataset
from glam.data.sharing import Shared, left_out, restricted, shared


@pytest.fixture
def frames(target_set, tmp_path):
    return decoded(Dataset.open(target_set), 8, tmp_path / "cache")


def test_cameras_are_shared_in_the_order_of_the_first_set(tiny):
    other = replace(tiny.AUXILIARY, cameras=("wrist", "overhead", "front"))
    assert shared([tiny.TARGET, other]).cameras == ("front", "overhead")
    assert shared([other, tiny.TARGET, replace(tiny.TARGET, cameras=("overhead",))]).cameras == ("overhead",)


def test_poses_and_masks_are_shared_by_all_or_not_at_all(tiny):
    assert shared([tiny.TARGET, tiny.AUXILIARY]) == Shared(("front", "overhead"), has_pose=True, has_masks=True)
    assert not shared([tiny.TARGET, replace(tiny.AUXILIARY, has_pose=False)]).has_pose
    assert not shared([tiny.TARGET, replace(tiny.AUXILIARY, objects=("red",))]).has_masks
    assert not shared([replace(tiny.TARGET, objects=())]).has_masks


def test_frames_lose_what_is_not_shared_and_nothing_else(frames):
    less = restricted(frames, Shared(("overhead",), has_pose=False, has_masks=True))
    assert isinstance(less, LabelledFrames)
    assert list(less.images) == ["observation.images.overhead"]
    assert list(less.masks) == ["observation.masks.overhead"]
    assert less.ee_pose.shape == (len(frames), 0)
    assert (less.schema.cameras, less.schema.pose_names) == (("overhead",), ())
    assert len(less) == len(frames)
    assert less.content_id == frames.content_id
    np.testing.assert_array_equal(less.action, frames.action)


def test_masks_that_are_not_shared_are_gone(frames):
    less = restricted(frames, Shared(("front", "overhead"), has_pose=True, has_masks=False))
    assert (less.masks, less.schema.objects) == ({}, ())
    assert less.ee_pose.shape == frames.ee_pose.shape


def test_views_follow_the_order_that_is_wanted(frames):
    turned = restricted(frames, Shared(("overhead", "front"), has_pose=True, has_masks=True))
    assert list(turned.images) == ["observation.images.overhead", "observation.images.front"]


def test_what_is_left_out_is_told_in_words(tiny):
    few = Shared(("front",), has_pose=False, has_masks=False)
    assert left_out(tiny.TARGET, few) == "the camera overhead and the end-effector pose"
    assert left_out(replace(tiny.TARGET, cameras=("front",), has_pose=False), few) == ""
