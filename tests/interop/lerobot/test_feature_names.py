import pytest

from glam.data.dataset_info import parse_feature
from glam.interop.lerobot.entries import features_of
from glam.interop.lerobot.feature_names import arms_in, grippers, is_measured, plain, poses_by_name


def parsed(declared):
    return {key: parse_feature(feature) for key, feature in declared.items()}


def features(**named):
    return features_of(parsed({key: vector(names) for key, names in named.items()}))


def vector(names):
    is_unnamed = isinstance(names, int)
    return {"dtype": "float32", "shape": [names if is_unnamed else len(names)], "names": None if is_unnamed else names}


def found(names, key="observation.state"):
    return {
        arm: {part: entry.number for part, entry in parts.items()}
        for arm, parts in poses_by_name(features(**{key: names})).items()
    }


@pytest.mark.parametrize(
    "names",
    [
        ["x", "y", "z"],
        ["ee.x", "ee.y", "ee.z"],
        ["eef_pos_x", "eef_pos_y", "eef_pos_z"],
        ["tcp.position.x", "tcp.position.y", "tcp.position.z"],
        ["arm.x", "arm.y", "arm.z"],
    ],
)
def test_positions_are_known_by_many_names(names):
    assert found(names) == {"": {"x": 0, "y": 1, "z": 2}}


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        (["ee.qw", "ee.qx", "ee.qy", "ee.qz"], {"qw": 0, "qx": 1, "qy": 2, "qz": 3}),
        (["eef_quat_x", "eef_quat_y", "eef_quat_z", "eef_quat_w"], {"qx": 0, "qy": 1, "qz": 2, "qw": 3}),
        (["ee.wx", "ee.wy", "ee.wz"], {"wx": 0, "wy": 1, "wz": 2}),
        (["rot_x", "rot_y", "rot_z"], {"rx": 0, "ry": 1, "rz": 2}),
        (["roll", "pitch", "yaw"], {"roll": 0, "pitch": 1, "yaw": 2}),
    ],
)
def test_rotations_are_known_by_many_names(names, parts):
    assert found(names) == {"": parts}


def test_arms_are_told_apart():
    names = ["left.x", "left.y", "right_ee_x", "robot1_eef_pos_x"]
    assert found(names) == {"left": {"x": 0, "y": 1}, "right": {"x": 2}, "robot1": {"x": 3}}


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("action", ["x", "y", "z"]),
        ("observation.state", ["prev_cmd.ee.x", "prev_cmd.ee.y", "prev_cmd.ee.z"]),
        ("observation.velocity", ["x", "y", "z"]),
        ("observation.state", ["cube.x", "cube.y", "cube.z"]),
        ("observation.state", ["max", "joint_x1", "w"]),
    ],
)
def test_what_is_no_place_of_a_tool_is_passed_over(key, names):
    assert found(names, key) == {}


def test_the_cartesian_position_of_droid_needs_no_names():
    assert found(6, "observation.state.cartesian_position") == {
        "": {"x": 0, "y": 1, "z": 2, "roll": 3, "pitch": 4, "yaw": 5}
    }
    assert found(6, "observation.other") == {}


def test_a_gripper_is_known_by_its_name_or_its_feature_s():
    known = features(
        **{
            "observation.state": ["joint_1", "gripper.pos", "gripper_vel"],
            "observation.state.gripper_position": 1,
            "action": ["gripper"],
        }
    )
    assert [(name, [entry.number for entry in entries]) for name, entries in grippers(known, "")] == [
        ("observation.state", [1]),
        ("observation.state.gripper_position", [0]),
    ]


def test_each_of_two_arms_has_its_own_gripper():
    known = features(**{"observation.state": ["left_gripper", "right_gripper"]})
    assert [[entry.number for entry in entries] for _, entries in grippers(known, "right")] == [[1]]


def test_arms_are_counted_by_the_names_of_joints():
    state = features(**{"observation.state": ["right_a", "left_b", "left_c", "waist"]}).vectors["observation.state"]
    assert arms_in(state.entries) == ("left", "right")


@pytest.mark.parametrize("name", ["shoulder_pan.pos", "shoulder_pan_joint", "Shoulder-Pan", "joint_shoulder_pan"])
def test_a_joint_is_known_whatever_else_its_name_says(name):
    assert plain(name) == "shoulder_pan"


def test_only_what_was_observed_is_measured():
    assert is_measured("observation.state", "joint1")
    assert not is_measured("observation.state", "target_x")
    assert not is_measured("next.state")
