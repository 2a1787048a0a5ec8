"""Facts are read off datasets, and sets are compared with the target."""

from dataclasses import replace

import numpy as np
import pytest
from tests.data import tiny

from glam.data.matching import can_work, compare, lines
from glam.data.matching.facts import _hand, facts_of
from glam.data.reader import Dataset
from glam.data.recording import publish, recording, save_episode
from glam.data.schema import EE_POSE

DOWN = [1.0, 0.0, 0.0, 0.0, -1.0, 0.0]


def record(root, schema=tiny.AUXILIARY, episodes=3, shift=0.0, opening=(1.0, 0.0)):
    """Sets in which the hand moves by a centimetre a frame along x and closes."""
    with recording(root, schema, tiny.DESCRIPTION):
        for index in range(episodes):
            episode = tiny.episode(index, schema)
            if schema.has_pose:
                pose = episode.vectors[EE_POSE]
                count = len(pose)
                pose[:, :3] = [0.4 + shift, 0.01 * index, 0.1]
                pose[:, 0] += 0.01 * np.arange(count)
                pose[:, 3:9], pose[:, 9] = DOWN, np.linspace(*opening, count)
            save_episode(root, schema, index, episode, {})
        publish(root, schema, tiny.DESCRIPTION, episodes)
    return root


@pytest.fixture
def target(tmp_path):
    return record(tmp_path / "target", tiny.TARGET)


def test_facts_are_those_of_the_numbers(target):
    facts = facts_of(Dataset.open(target))
    (hand,) = facts.hands
    assert (facts.episodes, facts.frames) == (3, 4 + 5 + 6)
    np.testing.assert_allclose(hand.box, [[0.4, 0.0, 0.1], [0.45, 0.02, 0.1]], atol=2e-3)
    np.testing.assert_allclose(hand.direction, [0.0, 0.0, -1.0], atol=1e-6)
    assert hand.speed == pytest.approx(0.1, rel=1e-3)
    assert hand.opening == pytest.approx((0.0, 1.0), abs=0.02)
    assert hand.first_opening == pytest.approx(1.0, abs=0.02)


def test_a_set_without_poses_has_no_hands(tmp_path):
    root = record(tmp_path / "blind", replace(tiny.AUXILIARY, has_pose=False))
    assert facts_of(Dataset.open(root)).hands == ()


def test_only_some_episodes_of_a_large_set_are_looked_at(target, monkeypatch):
    monkeypatch.setattr("glam.data.matching.facts.MOST_EPISODES", 2)
    assert len(facts_of(Dataset.open(target)).hands[0].positions) == 4 + 6


def test_sets_that_are_alike_can_work_together(target, tmp_path):
    seen = []
    found = compare([target, record(tmp_path / "aux")], lambda done, total: seen.append((done, total)))
    assert found.mismatches == ()
    assert can_work(found)
    assert seen == [(1, 2), (2, 2)]


def test_the_gravest_difference_comes_first_and_none_twice(target, tmp_path):
    far = record(tmp_path / "far", replace(tiny.AUXILIARY, objects=()), shift=2.0)
    found = compare([target, far, far])
    assert [one.severity for one in found.mismatches] == ["error", "note"]
    assert not can_work(found)


def test_warnings_are_no_obstacle(target, tmp_path):
    found = compare([target, record(tmp_path / "aux", opening=(0.0, 1.0))])
    assert [one.topic for one in found.mismatches] == ["gripper"]
    assert can_work(found)


def test_each_pair_may_share_a_camera_and_all_together_none(target, tmp_path):
    sets = [record(tmp_path / name, replace(tiny.AUXILIARY, cameras=(name,))) for name in ("front", "overhead")]
    assert can_work(compare([target, sets[0]]))
    found = compare([target, *sets])
    assert ("error", "no camera is common to all sets") in {(one.severity, one.problem) for one in found.mismatches}


def listed(tmp_path, schema=tiny.AUXILIARY, **changes):
    target, aux = record(tmp_path / "target", tiny.TARGET), record(tmp_path / "aux", schema, **changes)
    return lines(compare([target, aux]))


def test_a_table_shows_every_set_under_every_topic(tmp_path):
    told = listed(tmp_path)
    assert told[0].endswith("target")
    assert told[1].startswith("aux 1")
    (rate,) = [number for number, line in enumerate(told) if line.startswith("rate")]
    assert told[rate].split() == ["rate", "target", "10", "Hz", "ok"]
    assert told[rate + 1].split() == ["aux", "1", "10", "Hz"]
    assert any("x 0.40 to 0.45, y 0.00 to 0.02, z 0.10 to 0.10 m" in line for line in told)
    assert any("z axis along (0.0, 0.0, -1.0)" in line for line in told)
    assert told[-2] == "verdict: these datasets can be trained on together, with glam and glam-o"
    assert told[-1].startswith("method: ")


def test_a_finding_marks_its_topic_and_says_what_to_do(tmp_path):
    told = listed(tmp_path, replace(tiny.AUXILIARY, fps=5, objects=()))
    assert any(line.startswith("rate") and line.endswith("error") for line in told)
    assert any(line.startswith("masks") and line.endswith("note") for line in told)
    assert any(line.startswith("error    rate: ") and "--rate 10" in line for line in told)
    assert told[-1] == "verdict: these datasets cannot be trained on together yet; 1 of the above must be fixed"


def test_the_verdict_names_the_methods_that_are_left(tmp_path):
    told = listed(tmp_path, replace(tiny.AUXILIARY, objects=(), has_pose=False))
    assert told[-2].startswith(
        "verdict: these datasets can be trained on together, with glam-no-pose, but check 1 of the above first"
    )
    assert any(line.startswith("workspace") for line in told)


def test_a_gripper_that_never_moves_is_told_so(tmp_path):
    assert any("0.30 throughout" in line for line in listed(tmp_path, opening=(0.3, 0.3)))


def path(heights, openings):
    """An episode with its tool pointing down and one number a frame."""
    pose = np.zeros((len(heights), 10))
    pose[:, 2], pose[:, 3:9], pose[:, 9] = heights, DOWN, openings
    return pose


@pytest.mark.parametrize(
    ("openings", "expected"),
    [
        ([1.0] * 12 + [0.0] * 18, -1.0),
        ([0.0] * 12 + [1.0] * 18, 1.0),
        ([0.5] * 5 + [0.6] * 7 + [0.1] * 18, -1.0),
        ([0.0] * 6 + [1.0] * 6 + [0.0] * 18, -0.6),
    ],
    ids=["closes", "swapped", "half open at first", "closed at first"],
)
def test_whether_a_hand_closes_is_seen_between_the_way_down_and_the_way_up(openings, expected):
    heights = [0.3 - 0.03 * k for k in range(10)] + [0.03] * 5 + [0.03 + 0.02 * k for k in range(15)]
    hand = _hand([path(heights, openings)] * 3, 10)
    assert hand.closing == pytest.approx(expected, abs=0.1)


def test_a_hand_that_never_rises_says_nothing_about_its_gripper():
    assert _hand([path(np.linspace(0.3, 0.0, 20), np.linspace(1.0, 0.0, 20))], 10).closing == 0.0


def test_the_line_of_the_fingers_is_the_same_turned_by_180_degrees():
    turned = path(np.ones(10), np.ones(10))
    turned[5:, 3:9] *= -1.0
    np.testing.assert_allclose(np.abs(_hand([turned], 10).finger), [1.0, 0.0, 0.0], atol=1e-6)
