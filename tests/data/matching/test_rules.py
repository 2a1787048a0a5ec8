"""Each difference is found, is as grave as it should be, and says what to do."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.data import tiny

from glam.data.matching.facts import Facts, Hand
from glam.data.matching.rules import SEVERITIES, differences

RNG = np.random.default_rng(0)
HAND = Hand(
    positions=RNG.uniform([0.3, -0.2, 0.0], [0.6, 0.2, 0.3], (500, 3)),
    direction=np.array([0.0, 0.1, -0.9]),
    finger=np.array([0.9, 0.0, 0.1]),
    speed=0.4,
    opening=(0.0, 1.0),
    first_opening=0.95,
    closing=-0.8,
)
TARGET = Facts(Path("target"), tiny.TARGET, 20, 2000, 50, (HAND,))
OTHER = Facts(Path("aux"), tiny.AUXILIARY, 80, 8000, 50, (HAND,))


def found(target=TARGET, **changes):
    """(severity, topic, all words) of each difference from a set that is changed."""
    schema = {key: changes.pop(key) for key in list(changes) if key in vars(tiny.AUXILIARY)}
    other = replace(OTHER, schema=replace(OTHER.schema, **schema), **changes)
    return [(one.severity, one.topic, f"{one.problem}; {one.remedy}") for one in differences(target, other)]


def moved(**changes):
    return found(hands=(replace(HAND, **changes),))


def test_sets_that_are_alike_differ_in_nothing():
    assert found() == []


@pytest.mark.parametrize(
    ("changes", "severity", "topic", "words"),
    [
        ({"fps": 30}, "error", "rate", "aux has 30 Hz, the target 10; glam data adopt aux --out NEW --rate 10"),
        (
            {"cameras": ("top", "side")},
            "error",
            "cameras",
            "--map observation.images.front=observation.images.top",
        ),
        ({"arms": ("left", "right")}, "error", "arms", "aux has left, right, the target arm"),
        ({"episodes": 1}, "error", "episodes", "aux has 1 episodes"),
        ({"shortest": 1}, "error", "episodes", "aux has an episode of 1 frame; a transition needs 2; leave it out"),
        ({"image_size": (16, 24)}, "warning", "cameras", "another shape"),
        (
            {"has_pose": False, "hands": ()},
            "warning",
            "pose",
            "only methods called -no-pose .* --kinematics ROBOT",
        ),
        ({"objects": ("red",)}, "note", "masks", "methods called -o cannot be used"),
        ({"state_names": ("a",), "action_names": ("a",)}, "note", "role", "has actions, which are not used"),
    ],
)
def test_a_difference_in_what_there_is(changes, severity, topic, words):
    ((its_severity, its_topic, told),) = found(**changes)
    assert (its_severity, its_topic) == (severity, topic)
    assert re.search(words, told), told


def test_cameras_that_one_of_them_lacks_are_named_and_no_obstacle():
    told = found(cameras=("front", "wrist"))
    assert [(severity, topic) for severity, topic, _ in told] == [("note", "cameras"), ("note", "cameras")]
    assert told[0][2].startswith("overhead of target is left out")
    assert told[1][2].startswith("wrist of aux is left out")


def test_a_target_must_have_actions():
    told = found(target=replace(TARGET, schema=tiny.AUXILIARY))
    assert told == [("error", "role", "target has no actions; give the set with actions as --target")]


def test_another_frame_is_told_with_the_shift_that_would_undo_it():
    ((severity, topic, words),) = moved(positions=HAND.positions + np.array([1.0, 0.0, -0.5]))
    assert (severity, topic) == ("error", "workspace")
    assert words.startswith("0% of the path of arm lies in the target's workspace")
    assert (
        words.endswith("glam data adopt aux --out NEW --base -1.00 0.00 0.50 0 0 0")
        or "--base -1.00 -0.00 0.50" in words
    )


def test_a_workspace_that_is_partly_left_gets_a_warning():
    ((severity, topic, _),) = moved(positions=HAND.positions + np.array([0.25, 0.0, 0.0]))
    assert (severity, topic) == ("warning", "workspace")


def test_millimetres_are_known_for_what_they_are():
    ((severity, topic, words),) = moved(positions=1000.0 * HAND.positions)
    assert (severity, topic) == ("error", "workspace")
    assert "--lengths millimetres" in words


@pytest.mark.parametrize(
    ("changes", "topic", "words"),
    [
        ({"direction": np.array([0.0, 0.0, 1.0])}, "tool", "points 174 degrees away .* --tool 0 0 0 ROLL"),
        ({"speed": 2.0}, "speed", "moves at 2.00 m/s, the target's at 0.40"),
        ({"opening": (0.3, 0.3)}, "gripper", "never moves.*observation.ee_pose.gripper=FEATURE"),
        ({"opening": (0.0, 0.08)}, "gripper", "runs over 0.08, the target's over 1.00.*--gripper CLOSED OPEN"),
        (
            {"first_opening": 0.02, "closing": 0.8},
            "gripper",
            "opens before it rises from the object, the target's closes.*aux --out NEW --gripper with both numbers",
        ),
        ({"finger": np.array([0.0, 0.9, 0.0])}, "tool", "lies 90 degrees .* if both .* --tool 0 0 0 0 0 90"),
    ],
)
def test_a_difference_in_how_hands_move(changes, topic, words):
    ((severity, its_topic, told),) = moved(**changes)
    assert (severity, its_topic) == ("warning", topic)
    assert re.search(words, told), told


def test_a_tool_that_points_everywhere_is_not_compared():
    assert moved(direction=np.array([0.0, 0.0, 0.2])) == []


@pytest.mark.parametrize("closing", [-0.6, 0.0])
def test_a_hand_that_starts_closed_is_no_fault_and_nobody_is_told_to_swap_its_numbers(closing):
    ((severity, topic, words),) = moved(first_opening=0.02, closing=closing)
    assert (severity, topic) == ("note", "gripper")
    assert "swapped" not in words


def test_a_hand_that_starts_half_open_and_closes_is_no_difference():
    assert moved(first_opening=0.4, closing=-0.4) == []


def test_fingers_that_lie_everywhere_and_hands_that_are_turned_over_are_not_compared():
    assert moved(finger=np.array([0.0, 0.5, 0.0])) == []
    told = moved(finger=np.array([0.0, 0.9, 0.0]), direction=np.array([0.0, 0.0, 0.9]))
    assert len(told) == 1


def test_a_gripper_that_the_target_never_moves_is_not_compared():
    still = replace(TARGET, hands=(replace(HAND, opening=(0.5, 0.5)),))
    assert found(target=still) == []


def test_severities_go_from_grave_to_light():
    assert SEVERITIES == ("error", "warning", "note")


TRACKED = {"track_cameras": ("front", "overhead")}
ROBOT = replace(
    TARGET,
    schema=replace(TARGET.schema, **TRACKED),
    fingers={"arm.front": np.array([0.1, 0.0]), "arm.overhead": np.array([0.1, 0.1])},
)


def test_tracks_alone_are_enough_where_the_target_has_them_too():
    told = found(ROBOT, **TRACKED, has_pose=False, hands=(), fingers=ROBOT.fingers)
    assert [(severity, topic) for severity, topic, _ in told] == [("note", "pose")]
    assert "stage 1 learns from tracks alone" in told[0][2]


def test_one_camera_without_tracks_is_told_in_one_sentence():
    ((severity, topic, words),) = found(ROBOT, track_cameras=("front",))
    assert (severity, topic) == ("note", "tracks")
    assert words.startswith("aux has no tracks in overhead, so they count for nothing there; glam data tracks")


def test_a_set_without_any_tracks_is_a_warning():
    ((severity, topic, words),) = found(ROBOT)
    assert (severity, topic) == ("warning", "tracks")
    assert words.startswith("aux has no tracks in front and overhead")


def test_swapped_fingers_are_told_by_camera():
    swapped = {"arm.front": np.array([-0.1, 0.01]), "arm.overhead": np.array([0.1, 0.05])}
    ((severity, topic, words),) = found(ROBOT, **TRACKED, fingers=swapped)
    assert (severity, topic) == ("warning", "tracks")
    assert words.startswith("left and right finger of arm.front are swapped in aux, compared with the target")
