import numpy as np
import pytest

from glam.core.geometry import rotation_z, six_from_rotation
from glam.evaluation.motion import path_errors


def straight(frames: int = 20, arms: int = 1) -> np.ndarray:
    poses = np.zeros((frames, arms, 10), np.float32)
    poses[..., 0] = np.linspace(0.0, 0.19, frames)[:, None]
    poses[..., 3:9] = six_from_rotation(np.identity(3))
    poses[frames // 2 :, :, 9] = 1.0
    return poses.reshape(frames, -1)


def test_paths_of_different_length_are_refused_instead_of_being_broadcast() -> None:
    with pytest.raises(AssertionError):
        path_errors(straight()[:10], straight())


def test_equal_paths_have_no_error() -> None:
    errors = path_errors(straight(), straight())
    assert errors.aligned_mm == pytest.approx(0.0, abs=1e-4)
    assert errors.path_mm == pytest.approx(0.0, abs=1e-4)
    assert errors.degrees == pytest.approx(0.0, abs=0.1)
    assert errors.gripper == 1.0


def test_a_delay_is_an_aligned_error_but_no_deviation_from_the_path() -> None:
    late = np.concatenate([straight()[:1], straight()[:-1]])
    errors = path_errors(late, straight())
    assert errors.aligned_mm == pytest.approx(10.0 * 19 / 20, rel=1e-3)
    assert errors.path_mm == pytest.approx(0.0, abs=1e-3)


def test_a_shift_to_the_side_is_both() -> None:
    aside = straight(arms=2)
    aside[:, 1] += 0.005
    aside[:, 11] += 0.005
    errors = path_errors(aside, straight(arms=2))
    assert errors.aligned_mm == pytest.approx(5.0, rel=1e-3)
    assert errors.path_mm == pytest.approx(5.0, rel=1e-3)


def test_turned_hands_differ_by_their_angle() -> None:
    turned = straight()
    turned[:, 3:9] = six_from_rotation(rotation_z(np.deg2rad(7.0)))
    assert path_errors(turned, straight()).degrees == pytest.approx(7.0, rel=1e-3)


def test_grippers_of_different_stroke_agree_when_they_open_and_close_together() -> None:
    other = straight()
    other[:, 9] = 0.3 + 0.4 * other[:, 9]
    assert path_errors(other, straight()).gripper == 1.0
