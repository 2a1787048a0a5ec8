"""Delta actions are found from steps between poses, whatever their frame, order, sign and scale."""

import numpy as np
import pytest

from glam.core.geometry import rotation_from_vector, six_from_rotation
from glam.data.windows import EpisodeTable
from glam.policies import delta_law

EPISODES = EpisodeTable.of_lengths([60, 50])
TRAIN = EPISODES.select([0])
ORDER = [2, 0, 1]


def path(seed=0):
    """A hand that turns and moves as a tool does, (N, 10)."""
    rng = np.random.default_rng(seed)
    count = int(EPISODES.lengths.sum())
    moves, turns = rng.normal(0.0, 0.01, (count, 3)), rng.normal(0.0, 0.1, (count, 3))
    rotation, place, rows = np.identity(3), np.zeros(3), []
    for move, turn in zip(moves, turns, strict=True):
        rows.append([*place, *six_from_rotation(rotation), float(len(rows) % 30 < 15)])
        place, rotation = place + rotation @ move, rotation @ rotation_from_vector(turn)
    return np.array(rows, np.float32), moves, turns


def fitted(poses, actions, openings=None):
    steps = delta_law.pose_steps(poses, ["arm"])
    openings = openings or {}
    law = delta_law.fit(steps, openings, actions.astype(np.float32), EPISODES, TRAIN)
    return law, law.raw(steps, openings, EPISODES)


@pytest.mark.parametrize("late", [0, 1])
def test_steps_in_the_tool_s_own_frame_are_recognized_with_their_scale_and_order(late):
    poses, moves, turns = path()
    actions = np.concatenate([-20.0 * moves[:, ORDER], 2.0 * turns], axis=1)
    actions = np.roll(actions, -late, axis=0)
    law, raw = fitted(poses, actions)
    assert (law.convention, law.lead) == ("tool", 1 + late)
    assert [law.entries[entry].group for entry in range(6)] == ["arm position"] * 3 + ["arm rotation"] * 3
    inside = slice(60, 105)  # of the episode that the fit has not seen
    np.testing.assert_allclose(raw[inside], actions[inside], atol=5e-3)


def test_steps_in_a_world_that_is_turned_are_recognized():
    poses, _, _ = path()
    turn = rotation_from_vector(np.array([0.0, 0.0, 0.7]))
    actions = 50.0 * np.diff(poses[:, :3], axis=0, append=poses[-1:, :3]) @ turn.T
    law, raw = fitted(poses, actions)
    assert law.convention == "world"
    np.testing.assert_allclose(raw[60:105], actions[60:105], atol=5e-3)


def test_a_hand_at_rest_gets_zeros_and_its_gripper_a_command():
    poses, moves, _ = path()
    actions = np.column_stack([moves, 1.0 - 2.0 * poses[:, 9]])
    openings = {3: poses[:, 9].astype(np.float64)}
    law, _ = fitted(poses, actions, openings)
    still = np.repeat(poses[:1], len(poses), axis=0)
    raw = law.raw(delta_law.pose_steps(still, ["arm"]), {3: still[:, 9].astype(float)}, EPISODES)
    np.testing.assert_array_equal(raw[:, :3], 0.0)
    np.testing.assert_allclose(np.unique(raw[:, 3]), [-1.0], atol=0.5)


def test_the_last_row_of_an_episode_leads_nowhere():
    poses, moves, turns = path()
    _, raw = fitted(poses, np.concatenate([moves, turns], axis=1))
    np.testing.assert_array_equal(raw[EPISODES.ends - 1], 0.0)
