from dataclasses import replace

import pytest

from glam.core.errors import GlamError
from glam.data.dataset_info import parse_feature, schema_of
from glam.data.schema import POSE_NAMES


def feature(*shape, dtype="float32", names=None):
    return {"dtype": dtype, "shape": list(shape), "names": names}


def foreign(**changes):
    features = {
        "observation.images.front": feature(16, 24, 3, dtype="video"),
        "observation.ee_pose": feature(10),
        "observation.state": feature(2, names={"motors": ["a", "b"]}),
        "action": feature(2),
        "next.reward": feature(1),
    }
    features |= changes
    return {key: value for key, value in features.items() if value}


def parsed(declared):
    return {key: parse_feature(feature) for key, feature in declared.items()}


def schema(features, arms=(), objects=()):
    return schema_of(parsed(features), 10, arms, objects)


def test_our_own_features_give_back_our_schema(tiny):
    for ours in (tiny.TARGET, tiny.AUXILIARY, replace(tiny.TARGET, delta_actions=("joint1",))):
        assert schema_of(parsed(ours.features()), ours.fps, ours.arms, ours.objects) == ours


def test_what_others_leave_out_is_filled_in():
    read = schema(foreign())
    assert read.arms == ("arm",)
    assert read.objects == ()
    assert read.cameras == ("front",)
    assert read.image_size == (16, 24)
    assert read.state_names == ("a", "b")
    assert read.action_names == ("0", "1")
    assert read.role == "target"


def test_arms_are_named_by_their_entries_where_these_say_so():
    names = [f"{arm}.{name}" for arm in ("left", "right") for name in POSE_NAMES]
    assert schema(foreign(**{"observation.ee_pose": feature(20, names=names)})).arms == ("left", "right")
    assert schema(foreign(**{"observation.ee_pose": feature(20)})).arms == ("arm0", "arm1")


def test_masks_without_known_objects_are_numbered():
    masks = {"observation.masks.front": feature(16, 24, 2, dtype="image")}
    assert schema(foreign(**masks)).objects == ("object0", "object1")


def test_a_set_without_a_pose_has_none_and_one_arm_unless_more_are_known():
    read = schema(foreign(**{"observation.ee_pose": None}))
    assert (read.has_pose, read.arms, read.pose_names) == (False, ("arm",), ())
    assert set(read.vectors) == {"observation.state", "action"}
    assert schema(foreign(**{"observation.ee_pose": None}), arms=("left", "right")).arms == ("left", "right")


def test_a_set_without_action_is_auxiliary_and_its_state_is_ignored():
    read = schema(foreign(action=None))
    assert (read.role, read.state_names) == ("auxiliary", ())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"observation.images.front": None}, "no camera"),
        ({"observation.state": None}, r"an action but no observation\.state"),
        ({"observation.ee_pose": feature(7)}, "7 entries; it must have 10 for each arm"),
        ({"observation.images.top": feature(8, 8, 3)}, r"different sizes \(front 16x24, top 8x8\)"),
        ({"observation.images.front": feature(16, 24, 1)}, r"it must be \(height, width, 3\)"),
        ({"observation.images.front": feature(15, 24, 3)}, "height and width must be even"),
        ({"observation.masks.front": feature(8, 8, 2)}, r"masks\.front has shape \(8, 8, 2\)"),
        ({"action": feature(2) | {"info": {"delta_actions": ["dx"]}}}, "delta_actions dx: action has 0, 1"),
        ({"action": feature(2) | {"info": {"delta_actions": "dx"}}}, "it must be a list of names"),
        ({"action": feature(2, 3)}, r"action has shape \(2, 3\)"),
    ],
)
def test_what_does_not_fit_is_named(changes, sentence):
    with pytest.raises(GlamError, match=sentence):
        schema(foreign(**changes))


def test_masks_of_one_camera_only_are_refused():
    features = foreign(
        **{
            "observation.images.top": feature(16, 24, 3),
            "observation.masks.top": feature(16, 24, 1),
        }
    )
    with pytest.raises(GlamError, match=r"masks\.front has shape \(\)"):
        schema(features)
