"""A sound set has no remarks; one spoilt episode in it gets the right one."""

from collections.abc import Callable

import numpy as np
import pytest
from tests.data.quality.demonstrations import ARMS, FPS, film, measures, poses, sound

from glam.data.quality.measures import Measures
from glam.data.quality.rules import Judged, about_the_set, judge
from glam.data.schema import GRIPPER


@pytest.fixture(scope="module")
def others() -> list[Measures]:
    return sound()


def judged(others: list[Measures], one: Measures) -> Judged:
    return judge([one, *others[1:]], FPS, ARMS)[0]


def test_sound_episodes_have_no_remarks(others: list[Measures]) -> None:
    assert [one.remarks for one in judge(others, FPS, ARMS)] == [()] * len(others)
    assert list(about_the_set(others, FPS)) == []


def lost(hand: np.ndarray) -> None:
    hand[20:36, :GRIPPER] = hand[20, :GRIPPER]


def away_for_a_frame(hand: np.ndarray) -> None:
    hand[30, 0] += 0.2


def away_from_then_on(hand: np.ndarray) -> None:
    hand[30:, 1] -= 0.2


def turned_over(hand: np.ndarray) -> None:
    hand[30:, [3, 7]] *= -1.0


def stuck(hand: np.ndarray) -> None:
    hand[:, GRIPPER] = 0.9


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lost, "lost"),
        (away_for_a_frame, "jump"),
        (away_from_then_on, "jump"),
        (turned_over, "jump"),
        (stuck, "gripper"),
    ],
)
def test_a_fault_of_the_poses_is_named(others: list[Measures], spoil: Callable[[np.ndarray], None], fault: str) -> None:
    hand = poses()
    images = film(hand)
    spoil(hand)
    found = judged(others, measures(hand, 0, images))
    assert found.verdict == "leave out"
    assert fault in {remark.fault for remark in found.remarks}


def test_images_that_come_late_are_found_with_their_delay(others: list[Measures]) -> None:
    hand = poses()
    late = film(hand)[np.maximum(np.arange(len(hand)) - 8, 0)]
    (remark,) = judged(others, measures(hand, 0, late)).remarks
    assert (remark.verdict, remark.words) == ("leave out", "its images come 0.40 s later than in other episodes")


def test_a_delay_of_all_episodes_is_said_once_about_the_set() -> None:
    hands = [poses(number, 110 + 2 * number) for number in range(8)]
    late = [
        measures(hand, number, film(hand)[np.maximum(np.arange(len(hand)) - 8, 0)]) for number, hand in enumerate(hands)
    ]
    assert all(one.verdict == "sound" for one in judge(late, FPS, ARMS))
    (sentence,) = about_the_set(late, FPS)
    assert sentence.startswith("the images of most episodes come 0.40 s later than the poses")


def test_a_pause_is_for_a_person_to_judge(others: list[Measures]) -> None:
    rows = np.r_[:60, np.full(5 * FPS, 60), 60:120]
    assert {remark.fault for remark in judged(others, measures(poses()[rows])).remarks} == {"stall"}
    assert judged(others, measures(poses()[rows])).verdict == "look"


def test_an_odd_length_is_for_a_person_to_judge(others: list[Measures]) -> None:
    (remark,) = judged(others, measures(poses(0, 400))).remarks
    assert (remark.verdict, remark.fault) == ("look", "length")


def test_no_hand_is_left_out_for_not_gripping_where_half_of_them_do_not() -> None:
    hands = [poses(number, 110 + 2 * number) for number in range(8)]
    for hand in hands[::2]:
        hand[:, GRIPPER] = 0.9
    found = judge([measures(hand, number) for number, hand in enumerate(hands)], FPS, ARMS)
    assert {one.verdict for one in found} == {"sound", "look"}
