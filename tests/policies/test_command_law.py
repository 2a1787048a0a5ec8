import numpy as np
import pytest

from glam.data.windows import EpisodeTable
from glam.policies import command_law

TABLE = EpisodeTable.of_lengths([30] * 6)
TRAIN = TABLE.select(range(4))


def walks(seed: int = 0) -> np.ndarray:
    """Smooth paths of two joints, each episode from a place of its own."""
    rng = np.random.default_rng(seed)
    turns = rng.uniform(0.05, 0.3, (6, 1, 2)) * np.arange(30)[None, :, None]
    return (rng.normal(size=(6, 1, 2)) + np.sin(turns)).reshape(-1, 2).astype(np.float32)


def later(values: np.ndarray, steps: int) -> np.ndarray:
    """The value `steps` frames later in the same episode of 30, or its last."""
    rows = np.arange(len(values))
    return values[np.minimum(rows + steps, rows // 30 * 30 + 29)]


@pytest.mark.parametrize("lead", [1, 2, 3])
def test_the_lead_and_lag_of_a_servo_are_found(lead: int) -> None:
    joints, lag = walks(), np.array([0.5, 1.2])
    goal = later(joints, lead)
    actions = (goal + lag * (goal - later(joints, lead - 1))).astype(np.float32)
    law = command_law.fit(joints, actions, TABLE, TRAIN, grippers=[])
    assert law.lead == lead
    np.testing.assert_allclose(law.lag, lag, atol=1e-4)
    np.testing.assert_allclose(law.commands(joints, TABLE), actions, atol=1e-4)


def test_without_lag_a_command_is_the_next_frames_joints_and_never_another_episodes() -> None:
    joints = walks()
    law = command_law.fit(joints, later(joints, 1), TABLE, TRAIN, grippers=[])
    assert law.lead == 1
    np.testing.assert_allclose(law.commands(joints, TABLE)[:29], joints[1:30], atol=1e-5)
    np.testing.assert_allclose(law.commands(joints, TABLE)[29], joints[29], atol=1e-5)


def test_a_joint_that_never_moves_stays() -> None:
    joints = np.full((180, 2), 0.3, np.float32)
    law = command_law.fit(joints, joints, TABLE, TRAIN, grippers=[])
    np.testing.assert_array_equal(law.commands(joints, TABLE), joints)


def held(width: float, grip: int = 10, release: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Six episodes of a gripper that is told to shut, stops at `width`, and is told to open: openings and commands."""
    opening = np.ones(30, np.float32)
    opening[grip + 1 : release + 1] = width
    command = np.ones(30, np.float32)
    command[grip:release] = 0.0
    return np.tile(opening, 6)[:, None], np.tile(command, 6)[:, None]


def with_joint(opening: np.ndarray) -> np.ndarray:
    """A joint that moves, and a gripper."""
    return np.concatenate([walks()[:, :1], opening], axis=1)


def test_a_gripper_that_holds_something_is_told_to_shut_though_it_stays_open() -> None:
    opening, command = held(width=0.6)
    reached, actions = with_joint(opening), np.concatenate([later(walks(), 1)[:, :1], command], axis=1)
    law = command_law.fit(reached, actions, TABLE, TRAIN, grippers=[1])
    np.testing.assert_allclose(law.commands(reached, TABLE)[:, 1], command[:, 0], atol=1e-6)
    assert law.lag[1] == 0.0


def test_a_hand_of_another_stroke_holds_at_another_opening_and_means_the_same() -> None:
    opening, command = held(width=0.6)
    law = command_law.fit(
        with_joint(opening), np.concatenate([later(walks(), 1)[:, :1], command], axis=1), TABLE, TRAIN, grippers=[1]
    )
    other, told = held(width=0.45, grip=5, release=25)
    np.testing.assert_allclose(law.commands(with_joint(other), TABLE)[:, 1], told[:, 0], atol=1e-6)


def test_a_gripper_that_never_moves_is_known_as_such() -> None:
    assert command_law.moves(held(width=0.6)[0])
    assert not command_law.moves(np.linspace(0.50, 0.52, 100))
    still = np.ones((180, 1), np.float32)
    law = command_law.fit(with_joint(still), with_joint(still), TABLE, TRAIN, grippers=[1])
    np.testing.assert_array_equal(law.commands(with_joint(still), TABLE)[:, 1], 1.0)


def test_held_out_episodes_do_not_shape_the_law() -> None:
    joints = walks()
    actions = later(joints, 1)
    spoilt = actions.copy()
    spoilt[120:] = 100.0
    clean, other = (command_law.fit(joints, told, TABLE, TRAIN, grippers=[]) for told in (actions, spoilt))
    np.testing.assert_array_equal(clean.lag, other.lag)
