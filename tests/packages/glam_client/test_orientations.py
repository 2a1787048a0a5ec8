"""Rotations agree with scipy."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from glam_client import orientations
from glam_client.errors import GlamError

TURNS = Rotation.concatenate(
    [
        Rotation.random(40, random_state=1),
        Rotation.from_rotvec(np.pi * np.concatenate([np.identity(3), -np.identity(3)])),
        Rotation.identity(1),
    ]
)


def same(quaternions, turns=TURNS):
    return (Rotation.from_quat(quaternions) * turns.inv()).magnitude() < 1e-7


def test_rotation_vectors_become_the_quaternions_of_scipy():
    assert same(orientations.quaternions_from_vectors(TURNS.as_rotvec(), "here")).all()


def test_two_columns_of_the_matrix_become_the_quaternions_of_scipy_and_come_back():
    matrix = TURNS.as_matrix()
    six = np.concatenate([matrix[:, :, 0], matrix[:, :, 1]], axis=1)
    quaternions = orientations.quaternions_from_six(six, "here")
    assert same(quaternions).all()
    assert orientations.six_from_quaternions(quaternions) == pytest.approx(six, abs=1e-12)


def test_interpolation_is_that_of_scipy_on_the_shorter_way():
    start, end = TURNS[:20], TURNS[20:40]
    part = np.linspace(0.0, 1.0, 20)
    between = orientations.slerp(-start.as_quat(), end.as_quat(), part)
    wanted = [Slerp([0, 1], Rotation.concatenate([start[k], end[k]]))(part[k]) for k in range(20)]
    assert same(between, Rotation.concatenate(wanted)).all()


def test_between_two_equal_rotations_nothing_turns():
    quaternions = TURNS.as_quat()
    assert same(orientations.slerp(quaternions, quaternions, np.full(len(TURNS), 0.3))).all()


@pytest.mark.parametrize(
    ("read", "wrong", "message"),
    [
        (orientations.unit_quaternions, [0.0, 0.0, 0.0, 0.0], "frame 1 is no unit quaternion"),
        (orientations.unit_quaternions, [0.5, 0.5, 0.5, 0.6], "frame 1 is no unit quaternion"),
        (orientations.quaternions_from_vectors, [90.0, 0.0, 0.0], "is it in rad"),
        (orientations.quaternions_from_six, [1.0, 0.0, 0.0, 1.0, 0.0, 0.0], "frame 1 are no unit vectors"),
    ],
)
def test_what_is_no_rotation_is_refused(read, wrong, message):
    sound = {4: [0.0, 0.0, 0.0, 1.0], 3: [0.1, 0.2, 0.3], 6: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]}[len(wrong)]
    with pytest.raises(GlamError, match=f"^here: .*{message}"):
        read(np.array([sound, wrong]), "here")


def test_rounded_quaternions_are_made_exact():
    rounded = TURNS.as_quat().round(2)
    assert np.linalg.norm(orientations.unit_quaternions(rounded, "here"), axis=1) == pytest.approx(1.0, abs=1e-12)
