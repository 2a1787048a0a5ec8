import numpy as np
import pytest
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.evaluation.motion import Smoothness, fft_score, jerk_score, smoothness, tool_speeds

Array = NDArray[np.float64]


def minimum_jerk_speeds(duration: float, rate: float, peak: float = 0.4) -> Array:
    """The smoothest reach there is, seen between frames, as speeds of a recording are."""
    t = (np.arange(round(duration * rate)) + 0.5) / (duration * rate)
    return peak * 16 * t**2 * (1 - t) ** 2


def reach(frames: int = 60, arms: int = 1, length: float = 0.3) -> Array:
    """Poses of straight minimum-jerk reaches along y."""
    t = np.linspace(0.0, 1.0, frames)
    poses = np.zeros((frames, arms, 10))
    poses[..., 1] = (length * t**3 * (10 - 15 * t + 6 * t**2))[:, None]
    return poses.reshape(frames, -1)


@pytest.mark.parametrize("duration", [0.5, 1.0, 6.0])
def test_a_minimum_jerk_reach_has_the_score_of_the_closed_form(duration: float) -> None:
    """v = 16 v_peak s^2 (1 - s)^2 has an integral of (d^2v/ds^2)^2 of 204.8 v_peak^2, hence T^5 gives 204.8 T^2."""
    fine = minimum_jerk_speeds(duration, rate=2000 / duration)
    assert jerk_score(fine, 2000 / duration) == pytest.approx(-np.log(204.8 * duration**2), abs=5e-3)


def test_the_jerk_score_ignores_amplitude() -> None:
    slow, fast = minimum_jerk_speeds(6, 10, peak=0.05), minimum_jerk_speeds(6, 10, peak=5.0)
    assert jerk_score(slow, 10) == pytest.approx(jerk_score(fast, 10), abs=1e-9)


def test_the_same_shape_over_c_times_the_duration_scores_2_ln_c_less() -> None:
    speeds = minimum_jerk_speeds(2, 50)
    assert jerk_score(speeds, 50 / 3) == pytest.approx(jerk_score(speeds, 50) - 2 * np.log(3), abs=1e-9)


def test_more_jitter_scores_worse_on_both_scales() -> None:
    noise = np.random.default_rng(0).normal(size=60)
    motions = [minimum_jerk_speeds(6, 10) + size * noise for size in (0.0, 0.003, 0.01, 0.03, 0.1)]
    jerks, ffts = [jerk_score(speeds, 10) for speeds in motions], [fft_score(speeds, 10) for speeds in motions]
    assert jerks == sorted(jerks, reverse=True)
    assert len(set(jerks)) == 5
    assert ffts == sorted(ffts)
    assert len(set(ffts)) == 5


def test_two_submovements_are_less_smooth_than_one() -> None:
    one = minimum_jerk_speeds(2, 50)
    two = np.concatenate([minimum_jerk_speeds(1, 50)] * 2)
    assert jerk_score(two, 50) < jerk_score(one, 50)
    assert fft_score(two, 50) > fft_score(one, 50)


@pytest.mark.parametrize("cycles", [1, 7, 29])
def test_a_sine_has_the_fft_score_of_its_amplitude_and_frequency(cycles: int) -> None:
    size, rate, amplitude = 60, 10.0, 0.2
    speeds = 0.5 + amplitude * np.sin(2 * np.pi * cycles * np.arange(size) / size)
    frequency = cycles * rate / size
    assert fft_score(speeds, rate) == pytest.approx(2 / (30 * rate) * amplitude * frequency, rel=1e-9)


def test_alternation_at_half_the_rate_counts_once() -> None:
    speeds = 0.5 + 0.2 * (-1.0) ** np.arange(60)
    assert fft_score(speeds, 10.0) == pytest.approx(2 / (30 * 10.0) * 0.2 * 5.0, rel=1e-9)


def test_the_fft_score_is_proportional_to_speed_and_ignores_duration() -> None:
    speeds = minimum_jerk_speeds(6, 10)
    assert fft_score(3 * speeds, 10) == pytest.approx(3 * fft_score(speeds, 10))
    assert fft_score(speeds, 20) == pytest.approx(fft_score(speeds, 10))


def test_even_speed_has_no_frequency_and_a_finite_jerk_score() -> None:
    assert fft_score(np.full(20, 0.1), 10) == pytest.approx(0.0, abs=1e-15)
    assert np.isfinite(jerk_score(np.full(20, 0.1), 10))


def test_poses_give_the_scores_of_their_speeds() -> None:
    poses = reach()
    (scores,) = smoothness(poses.astype(np.float32), 10)
    (speeds,) = tool_speeds(poses, 10)
    assert len(speeds) == 59
    assert speeds.sum() / 10 == pytest.approx(0.3)
    assert scores.jerk == pytest.approx(jerk_score(speeds, 10), abs=1e-3)
    assert scores.fft == pytest.approx(fft_score(speeds, 10), rel=1e-3)


def test_each_hand_that_moved_has_scores_and_a_hand_that_stood_still_has_none() -> None:
    poses = reach(arms=2)
    assert len(smoothness(poses, 10)) == 2
    poses[:, 10:] = poses[:1, 10:]
    poses[1::2, 10] += 0.0004  # 4 mm/s of tremor
    assert smoothness(poses, 10) == smoothness(poses[:, :10], 10)


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_an_episode_too_short_for_a_jerk_has_no_scores(frames: int) -> None:
    assert smoothness(reach()[20 : 20 + frames], 10) == ()


def test_scores_and_poses_that_are_no_numbers_are_refused() -> None:
    poses = reach()
    poses[3, 1] = np.nan
    with pytest.raises(GlamError, match="not finite"):
        smoothness(poses, 10)
    with pytest.raises(GlamError, match="finite numbers"):
        Smoothness(jerk=float("nan"), fft=0.0)


def test_an_episode_that_broke_before_its_first_step_has_no_score() -> None:
    assert smoothness(np.zeros((0, 10), np.float32), 10) == ()
