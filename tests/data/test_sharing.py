from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.data.cache import decoded
from glam.data.demonstrations import (
    Shared,
    left_out,
    require_alike,
    require_target,
    restricted,
    shared,
    shared_features,
)
from glam.data.reader import Dataset
from glam.data.windows import LabelledFrames


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


def dataset(name, schema):
    return Dataset(Path(name), schema, (), {})


@pytest.mark.parametrize(
    ("field", "value"),
    [("fps", 20), ("arms", ("left", "right")), ("objects", ("red",))],
)
def test_an_auxiliary_source_with_other_features_is_refused_by_name(tiny, field, value):
    other = dataset("auxiliary", replace(tiny.TARGET, **{field: value}))
    with pytest.raises(GlamError, match=f"auxiliary: {field} is"):
        require_alike(dataset("target", tiny.TARGET), other, needs_pose=True, needs_masks=True)


def test_objects_matter_to_methods_on_masks_alone(tiny):
    other = dataset("auxiliary", replace(tiny.TARGET, objects=()))
    require_alike(dataset("target", tiny.TARGET), other, needs_pose=True, needs_masks=False)
    require_target(other, needs_masks=False)
    with pytest.raises(GlamError, match="auxiliary: has no object masks"):
        require_target(other, needs_masks=True)


def test_a_target_must_have_actions(tiny):
    with pytest.raises(GlamError, match="target: an auxiliary set, without action"):
        require_target(dataset("target", replace(tiny.TARGET, state_names=(), action_names=())), needs_masks=False)


def test_a_set_without_a_pose_is_for_methods_without_one(tiny):
    other = dataset("auxiliary", replace(tiny.TARGET, has_pose=False))
    with pytest.raises(GlamError, match=r"auxiliary: has no end-effector pose, which this method needs; .*-no-pose"):
        require_alike(dataset("target", tiny.TARGET), other, needs_pose=True, needs_masks=True)
    require_alike(dataset("target", tiny.TARGET), other, needs_pose=False, needs_masks=True)


def test_what_not_all_sets_have_is_left_out_with_a_warning(tiny, caplog):
    target, mine = tiny.TARGET.cameras, dataset("target", tiny.TARGET)
    other = dataset("auxiliary", replace(tiny.TARGET, cameras=("wrist", target[0]), has_pose=False))
    found = shared_features([mine, other])
    assert (found.cameras, found.has_pose, found.has_masks) == ((target[0],), False, True)
    assert f"target: not used is the camera {target[1]} and the end-effector pose, which not all" in caplog.text
    assert "auxiliary: not used is the camera wrist, which not all" in caplog.text


def test_sets_without_a_common_camera_are_refused(tiny):
    other = dataset("auxiliary", replace(tiny.TARGET, cameras=("wrist",)))
    with pytest.raises(GlamError, match=r"no camera is common to all datasets: target has .*; auxiliary has wrist"):
        shared_features([dataset("target", tiny.TARGET), other])
