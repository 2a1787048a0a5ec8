"""The same motion at other moments."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from glam.core.errors import GlamError
from glam.interop.imports.recordings import FrameSequence, Motion, Track
from glam.interop.imports.resampling import Pace, moments, motion_at, nearest, pace


def motion(times):
    """Moves and turns at constant speed; action t says when it was given."""
    times = np.asarray(times, float)
    turns = Rotation.from_rotvec(times[:, None] * [0.0, 0.0, 1.0])
    return Motion(
        times=times,
        positions=times[:, None, None] * np.array([1.0, -2.0, 0.5]),
        quaternions=turns.as_quat()[:, None],
        openings=times[:, None] / 10.0,
        state=times[:, None] * 3.0,
        action=times[:, None],
    )


def track(times, *film_times):
    films = {f"c{k}": FrameSequence(f"c{k}.mp4", np.asarray(t, float), (2, 2), None) for k, t in enumerate(film_times)}
    return Track("episode_0", "do", motion(times), films)


TWENTY = np.arange(41) / 20


def test_without_a_wish_the_rate_is_that_of_the_source():
    assert pace(20.0, None) == Pace(20, 1.0)


@pytest.mark.parametrize("wanted", [None, 60])
def test_rates_that_differ_by_a_hair_are_one_and_every_sample_is_kept(wanted):
    rate = 60000 / 1001
    at = pace(rate, wanted)
    assert at.rate == 60
    samples = np.arange(5000) / rate
    assert moments(track(samples, samples), at) == pytest.approx(samples, abs=1e-9)


def test_a_rate_that_is_no_whole_number_needs_a_wish():
    with pytest.raises(GlamError, match=r"12\.5 Hz.*--rate"):
        pace(12.5, None)
    assert pace(12.5, 25) == Pace(25, 1.0)


@pytest.mark.parametrize("wanted", [0, -5, 5000])
def test_absurd_rates_are_refused(wanted):
    with pytest.raises(GlamError, match="--rate"):
        pace(20.0, wanted)


def test_at_its_own_moments_a_motion_is_as_recorded():
    rng = np.random.default_rng(0)
    recorded = replace(motion(TWENTY), positions=rng.standard_normal((41, 1, 3)), action=rng.standard_normal((41, 2)))
    again = motion_at(recorded, moments(replace(track(TWENTY, TWENTY), motion=recorded), pace(20.0, None)))
    for name in ("positions", "openings", "state", "action"):
        assert np.array_equal(getattr(again, name), getattr(recorded, name)), name
    assert again.quaternions == pytest.approx(recorded.quaternions, abs=1e-12)


@pytest.mark.parametrize("rate", [7, 10, 30])
def test_between_samples_everything_moves_and_turns_evenly(rate):
    times = moments(track(TWENTY, TWENTY), pace(20.0, rate))
    assert times == pytest.approx(np.arange(2 * rate + 1) / rate)
    wanted, found = motion(times), motion_at(motion(TWENTY), times)
    for name in ("positions", "quaternions", "openings", "state"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name), abs=1e-9), name


def test_an_action_is_the_last_one_given_before_its_step_ends():
    slower = motion_at(motion(TWENTY), np.arange(20) / 10)
    assert slower.action[:, 0] == pytest.approx(np.arange(20) / 10 + 0.05)
    faster = motion_at(motion(TWENTY), np.arange(80) / 40)
    assert faster.action[:, 0] == pytest.approx(np.floor(np.arange(80) / 2) / 20)


@pytest.mark.parametrize("rate", [5, 7, 10, 40])
def test_delta_actions_add_up_to_the_same_way_at_any_rate(rate):
    steps = np.random.default_rng(0).standard_normal((41, 2))
    recorded = replace(motion(TWENTY), action=steps)
    times = moments(track(TWENTY, TWENTY), pace(20.0, rate))
    found = motion_at(recorded, times, summed=(1,)).action
    way = np.interp(times, np.arange(42) / 20, np.concatenate([[0.0], np.cumsum(steps[:, 1])]))
    assert np.cumsum(found[:-1, 1]) == pytest.approx(way[1:] - way[0], abs=1e-9)
    assert set(found[:, 0]) <= set(steps[:, 0])  # the other entry is held


def test_delta_actions_of_a_step_that_holds_two_are_their_sum():
    steps = np.arange(41.0)[:, None]
    found = motion_at(replace(motion(TWENTY), action=steps), np.arange(20) / 10, summed=(0,)).action[:, 0]
    assert found == pytest.approx(steps[0:40:2, 0] + steps[1:40:2, 0])


@pytest.mark.parametrize("turn", [2.0 * np.pi, 360.0])
def test_an_angle_that_was_wrapped_is_not_followed_through_the_other_side(turn):
    angles = np.linspace(0.3, 0.7, 41) * turn
    wrapped = np.where(angles > turn / 2.0, angles - turn, angles)[:, None]
    found = motion_at(replace(motion(TWENTY), state=wrapped), np.arange(79) / 39.5).state[:, 0]
    assert np.abs(found).min() > 0.29 * turn
    assert np.abs(np.sin((found - np.linspace(0.3, 0.7, 81)[:79] * turn) * np.pi / turn)).max() < 0.02


def test_images_are_the_nearest():
    film = FrameSequence("c.mp4", np.arange(10) / 10, (2, 2), None)
    assert nearest(film, np.array([0.0, 0.04, 0.06, 0.31, 0.9])).tolist() == [0, 0, 1, 3, 9]


def test_frames_lie_where_poses_and_all_films_are():
    times = moments(track(np.arange(3, 50) / 20, TWENTY, np.arange(39) / 20), Pace(20, 1.0))
    assert (times[0], times[-1]) == pytest.approx((0.15, 1.9))


@pytest.mark.parametrize(
    ("poses", "films", "message"),
    [
        (TWENTY[:20], [TWENTY], r"poses: nothing between 0\.95 s and 2\.00 s"),
        (TWENTY[20:], [TWENTY], r"poses: nothing between 0\.00 s and 1\.00 s"),
        (np.delete(TWENTY, range(10, 30)), [TWENTY], r"poses: nothing between 0\.45 s and 1\.50 s"),
        (TWENTY, [TWENTY, TWENTY[:20]], r"c1\.mp4: nothing between"),
        (TWENTY[::-1], [TWENTY], "poses must have at least two times, which increase"),
        (TWENTY[:1], [TWENTY[:1]], "poses must have at least two times"),
        (TWENTY[[0, 0, 1]], [TWENTY[:2]], "which increase"),
        (TWENTY, [[]], "c0.mp4 must have at least two times"),
    ],
)
def test_what_is_missing_is_named(poses, films, message):
    with pytest.raises(GlamError, match=message):
        moments(track(poses, *films), Pace(20, 1.0))


def test_too_short_an_episode_is_refused():
    with pytest.raises(GlamError, match="less than two frames at 1 Hz"):
        moments(track(TWENTY[:5], TWENTY[:5]), Pace(1, 1.0))
