import math

import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.core.geometry import rotation_from_six, rotation_z, six_from_rotation, vector_from_rotation
from glam.sim.sensors import PERFECT_TRACKER, Tracker


@pytest.fixture
def poses():
    """Two arms, each on a path of its own, turning and closing."""
    time = np.linspace(0.0, 1.0, 5)
    arms = []
    for side in (-1.0, 1.0):
        position = np.stack([0.5 + 0.1 * time, side * (0.3 - 0.2 * time), 0.2 + 0.0 * time], axis=1)
        rotation = six_from_rotation(np.stack([rotation_z(side * moment) for moment in time]))
        arms.append(np.concatenate([position, rotation, 1.0 - time[:, None]], axis=1))
    return np.concatenate(arms, axis=1).astype(np.float32)


def turns(poses, told):
    """Rotation vectors from true to told orientation. (T, 3)."""
    true, found = rotation_from_six(poses[:, 3:9].astype(float)), rotation_from_six(told[:, 3:9].astype(float))
    return np.stack([vector_from_rotation(b @ a.T) for a, b in zip(true, found, strict=True)])


def test_a_perfect_tracker_tells_the_truth(poses):
    assert PERFECT_TRACKER.measured(poses, 3) is poses


def test_the_error_is_one_motion_of_the_whole_episode(poses):
    told = Tracker(20.0, 5.0).measured(poses, 3)
    assert told.dtype == np.float32
    for arm in (slice(0, 10), slice(10, 20)):
        true, found = poses[:, arm], told[:, arm]
        vectors = turns(true, found)
        assert np.rad2deg(np.linalg.norm(vectors, axis=1)) == pytest.approx([5.0] * 5, abs=1e-3)
        assert np.ptp(vectors, axis=0) == pytest.approx([0.0] * 3, abs=1e-5)
        assert np.linalg.norm(found[0, :3] - true[0, :3]) == pytest.approx(0.02, abs=1e-6)
        lengths = [np.linalg.norm(np.diff(path[:, :3], axis=0), axis=1) for path in (true, found)]
        assert lengths[1] == pytest.approx(lengths[0], abs=1e-6)
        assert (found[:, 9] == true[:, 9]).all()


def test_a_turn_turns_the_path_too(poses):
    told = Tracker(angle_error_degrees=90.0).measured(poses, 3)
    true, found = poses[-1, :3] - poses[0, :3], told[-1, :3] - told[0, :3]
    assert np.linalg.norm(found) == pytest.approx(np.linalg.norm(true), abs=1e-6)
    assert np.linalg.norm(found - true) > 0.05


def test_episodes_and_arms_have_errors_of_their_own_that_can_be_drawn_again(poses):
    tracker = Tracker(20.0)
    shifts = [tracker.measured(poses, seed)[0, :3] - poses[0, :3] for seed in (3, 4)]
    assert np.linalg.norm(shifts[0] - shifts[1]) > 1e-3
    told = tracker.measured(poses, 3)
    assert np.linalg.norm((told[0, 10:13] - poses[0, 10:13]) - shifts[0]) > 1e-3
    assert (tracker.measured(poses, 3) == told).all()


def test_an_opening_that_is_not_seen_is_told_as_zero(poses):
    told = Tracker(sees_gripper=False).measured(poses, 3)
    assert not told[:, [9, 19]].any()
    assert told[:, :9] == pytest.approx(poses[:, :9], abs=1e-6)


def test_a_tool_offset_moves_every_pose_along_the_tool_and_is_the_same_in_every_episode(poses):
    told = Tracker(tool_offset_mm=30.0).measured(poses, 3)
    for arm in (slice(0, 10), slice(10, 20)):
        true, found = poses[:, arm], told[:, arm]
        along = rotation_from_six(true[:, 3:9].astype(float))[..., 2]
        assert found[:, :3] - true[:, :3] == pytest.approx(0.03 * along, abs=1e-6)
        assert found[:, 3:] == pytest.approx(true[:, 3:], abs=1e-6)
    assert (Tracker(tool_offset_mm=30.0).measured(poses, 4) == told).all()
    with pytest.raises(GlamError, match="--tool-offset-mm inf must be a finite number"):
        Tracker(tool_offset_mm=math.inf)


@pytest.mark.parametrize(("errors", "flag"), [((-1.0, 0.0), "mm"), ((math.nan, 0.0), "mm"), ((0.0, 200.0), "degrees")])
def test_an_error_that_is_none_is_refused(errors, flag):
    with pytest.raises(GlamError, match=f"--pose-error-{flag}"):
        Tracker(*errors)


def test_a_frame_of_its_own_turns_and_shifts_an_episode_and_keeps_the_vertical(poses):
    tracker = Tracker(has_own_frame=True)
    told = tracker.measured(poses, 3)
    for arm in (slice(0, 10), slice(10, 20)):
        true, found = poses[:, arm].astype(float), told[:, arm].astype(float)
        vectors = turns(true, found)
        assert np.abs(vectors[:, :2]).max() < 1e-3  # about the vertical alone
        assert np.ptp(vectors[:, 2]) < 1e-3
        heading = rotation_z(vectors[0, 2])
        assert (found[:, :3] - found[0, :3]) == pytest.approx((true[:, :3] - true[0, :3]) @ heading.T, abs=1e-3)
        assert (found[:, 9] == true[:, 9]).all()
    headings = [turns(poses, tracker.measured(poses, seed))[0, 2] for seed in range(20)]
    assert np.ptp(headings) > np.pi
    assert (tracker.measured(poses, 3) == told).all()


def test_a_turned_tool_is_turned_alike_in_every_pose_and_episode(poses):
    told = Tracker(tool_turn_degrees=10.0).measured(poses, 3)
    true, found = (rotation_from_six(part[:, 3:9].astype(float)) for part in (poses, told))
    own = [vector_from_rotation(a.T @ b) for a, b in zip(true, found, strict=True)]
    assert np.rad2deg(own) == pytest.approx(np.tile([10.0, 0.0, 0.0], (5, 1)), abs=1e-3)
    assert (told[:, :3] == poses[:, :3]).all()
    assert (Tracker(tool_turn_degrees=10.0).measured(poses, 4) == told).all()


def test_a_gripper_in_other_units_is_a_linear_reading(poses):
    told = Tracker(gripper_readings=(0.2, 0.6)).measured(poses, 3)
    assert told[:, 9] == pytest.approx(0.2 + 0.4 * poses[:, 9], abs=1e-6)
    for readings in ((0.5, 0.5), (0.0, math.inf)):
        with pytest.raises(GlamError, match="--gripper-readings"):
            Tracker(gripper_readings=readings)
    with pytest.raises(GlamError, match="--tool-turn-degrees"):
        Tracker(tool_turn_degrees=-1.0)
