"""Each case of the poses gets its finding, and the method that fits."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.data import tiny

from glam.data.matching.advice import frame_differences, method
from glam.data.matching.facts import Facts
from glam.data.matching.pose_frames import PoseFrame

TARGET, OTHER = Path("target"), Path("aux")


def facts(schema):
    return Facts(Path("set"), schema, 3, 30, 10, ())


def advised(*cases):
    return method([facts(tiny.TARGET), *(facts(tiny.AUXILIARY) for _ in cases)], [PoseFrame(case) for case in cases])


@pytest.mark.parametrize(
    ("frame", "topic", "words"),
    [
        (PoseFrame("own"), "frame", "glam data align aux --target target --out NEW"),
        (PoseFrame("per-episode", scatter_mm=20.0, scatter_degrees=5.0), "frame", "takes most of it out"),
        (PoseFrame("constant", shift_mm=30.0, tilt_degrees=10.0), "frame", "glam data adopt --tool or --base"),
        (PoseFrame("cameras"), "cameras", "film more of it in the usual ones"),
        (PoseFrame("common", grips=(0.3, 0.5)), "gripper", "--gripper CLOSED OPEN"),
    ],
)
def test_a_finding_says_what_to_do(frame, topic, words):
    (found,) = frame_differences(TARGET, OTHER, frame)
    assert (found.severity, found.topic) == ("warning", topic)
    assert words in found.remedy


@pytest.mark.parametrize("case", ["common", "unknown"])
def test_where_nothing_is_wrong_or_known_nothing_is_found(case):
    assert list(frame_differences(TARGET, OTHER, PoseFrame(case))) == []


def test_inverse_kinematics_is_named_where_it_is_the_right_method():
    assert advised("common").startswith("method: inverse kinematics first (glam train-policy retarget)")


def test_the_worst_set_decides():
    assert "before that, inverse kinematics cannot use these poses" in advised("common", "own", "constant")


def test_torques_and_missing_poses_leave_no_inverse_kinematics():
    torques = replace(tiny.TARGET, action_names=("arm_joint_1.torque",))
    assert "gives no torques" in method([facts(torques), facts(tiny.AUXILIARY)], [PoseFrame("common")])
    blind = replace(tiny.AUXILIARY, has_pose=False)
    assert "glam-no-pose" in method([facts(tiny.TARGET), facts(blind)], [PoseFrame("unknown")])


def test_tracks_that_both_sets_have_take_the_place_of_missing_poses():
    tracked = replace(tiny.TARGET, track_cameras=("front",))
    blind = replace(tiny.AUXILIARY, has_pose=False, track_cameras=("front",))
    assert "glam or glam-o, by fingertip tracks" in method([facts(tracked), facts(blind)], [PoseFrame("unknown")])
    assert "glam-no-pose" in method([facts(tiny.TARGET), facts(blind)], [PoseFrame("unknown")])


def test_a_gripper_in_other_units_is_brought_into_the_targets_before_inverse_kinematics():
    found = method([facts(tiny.TARGET), facts(tiny.AUXILIARY)], [PoseFrame("common", grips=(0.4, 0.5))])
    assert found.startswith("method: bring the gripper into the target's units first")
