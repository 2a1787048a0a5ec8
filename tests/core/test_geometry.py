"""Laws of rotations: every representation leads back to where it came from."""

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from glam.core import geometry as g

coordinates = st.floats(-1.0, 1.0, allow_subnormal=False)
angles = st.floats(0.0, np.pi)
points = arrays(np.float64, 3, elements=st.floats(-2.0, 2.0, allow_subnormal=False))
axes = (
    arrays(np.float64, 3, elements=coordinates)
    .filter(lambda axis: np.linalg.norm(axis) > 0.1)
    .map(lambda axis: axis / np.linalg.norm(axis))
)
vectors = st.builds(lambda axis, angle: axis * angle, axes, angles)
rotations = vectors.map(g.rotation_from_vector)


def assert_is_rotation(matrix: g.Array) -> None:
    np.testing.assert_allclose(
        np.swapaxes(matrix, -1, -2) @ matrix, np.broadcast_to(np.eye(3), matrix.shape), atol=1e-9
    )
    np.testing.assert_allclose(np.linalg.det(matrix), 1.0, atol=1e-9)


@given(vectors)
def test_a_vector_gives_a_rotation_by_its_length_about_its_direction(vector):
    rotation = g.rotation_from_vector(vector)
    assert_is_rotation(rotation)
    np.testing.assert_allclose(rotation @ vector, vector, atol=1e-9)
    np.testing.assert_allclose(np.trace(rotation), 1.0 + 2.0 * np.cos(np.linalg.norm(vector)), atol=1e-9)


def test_a_vector_along_z_turns_x_towards_y():
    np.testing.assert_allclose(g.rotation_from_vector(np.array([0, 0, np.pi / 2])) @ [1, 0, 0], [0, 1, 0], atol=1e-12)


@given(st.floats(-7.0, 7.0))
def test_rotation_z_is_the_rotation_of_a_vertical_vector(angle):
    np.testing.assert_allclose(g.rotation_z(angle), g.rotation_from_vector(np.array([0.0, 0.0, angle])), atol=1e-9)


@given(rotations)
def test_a_vector_and_back_is_the_same_rotation(rotation):
    vector = g.vector_from_rotation(rotation)
    assert np.linalg.norm(vector) <= np.pi + 1e-9
    np.testing.assert_allclose(g.rotation_from_vector(vector), rotation, atol=1e-7)


@given(axes, st.floats(0.0, np.pi - 1e-3))
def test_a_rotation_and_back_is_the_same_vector(axis, angle):
    np.testing.assert_allclose(g.vector_from_rotation(g.rotation_from_vector(axis * angle)), axis * angle, atol=1e-9)


@given(axes)
def test_half_a_turn_survives_the_vector(axis):
    half_turn = g.rotation_from_vector(axis * np.pi)
    vector = g.vector_from_rotation(half_turn)
    assert np.linalg.norm(vector) == pytest.approx(np.pi)
    np.testing.assert_allclose(g.rotation_from_vector(vector), half_turn, atol=1e-7)


@given(axes, st.floats(1e-13, 1e-6))
def test_tiny_rotations_stay_rotations(axis, angle):
    rotation = g.rotation_from_vector(axis * angle)
    assert_is_rotation(rotation)
    np.testing.assert_allclose(g.vector_from_rotation(rotation), axis * angle, atol=1e-11)


@given(rotations)
def test_mujoco_makes_the_same_rotation_of_the_quaternion(rotation):
    quaternion, back = g.quaternion_from_rotation(rotation), np.zeros(9)
    assert np.linalg.norm(quaternion) == pytest.approx(1.0)
    mujoco.mju_quat2Mat(back, quaternion)
    np.testing.assert_allclose(back.reshape(3, 3), rotation, atol=1e-7)


@given(axes, angles)
def test_the_quaternion_has_w_first_and_half_the_angle(axis, angle):
    quaternion = g.quaternion_from_rotation(g.rotation_from_vector(axis * angle))
    expected = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])
    assert abs(quaternion @ expected) == pytest.approx(1.0)


@pytest.mark.parametrize("axis", np.eye(3))
def test_half_turns_about_the_main_axes_have_a_quaternion(axis):
    quaternion = g.quaternion_from_rotation(2.0 * np.outer(axis, axis) - np.eye(3))
    np.testing.assert_allclose(np.abs(quaternion), [0.0, *axis])


@given(rotations)
def test_six_numbers_and_back_are_the_same_rotation(rotation):
    np.testing.assert_allclose(g.rotation_from_six(g.six_from_rotation(rotation)), rotation, atol=1e-9)


@given(rotations)
def test_the_six_numbers_are_the_first_column_then_the_second(rotation):
    np.testing.assert_array_equal(g.six_from_rotation(rotation), [*rotation[:, 0], *rotation[:, 1]])


@given(rotations, arrays(np.float64, 6, elements=st.floats(-0.1, 0.1)), st.floats(0.2, 5.0))
def test_disturbed_and_scaled_six_numbers_still_give_a_rotation(rotation, noise, scale):
    assert_is_rotation(g.rotation_from_six(scale * (g.six_from_rotation(rotation) + noise)))


@given(st.lists(rotations, min_size=6, max_size=6))
def test_six_numbers_take_leading_dimensions(matrices):
    stacked = np.array(matrices).reshape(2, 3, 3, 3)
    codes = g.six_from_rotation(stacked)
    assert codes.shape == (2, 3, 6)
    np.testing.assert_array_equal(codes[1, 2], g.six_from_rotation(stacked[1, 2]))
    np.testing.assert_allclose(g.rotation_from_six(codes), stacked, atol=1e-9)


@given(points, points)
def test_a_camera_looks_at_its_target_and_is_level(position, target):
    distance = np.linalg.norm(target - position)
    if distance < 1e-3:
        return
    camera = g.looking_at(position, target)
    assert_is_rotation(camera)
    np.testing.assert_allclose(-camera[:, 2], (target - position) / distance, atol=1e-9)
    assert camera[2, 0] == pytest.approx(0.0, abs=1e-9), "the x axis is level"
    assert camera[2, 1] >= -1e-9, "the image is upright"


@pytest.mark.parametrize("height", [-1.0, 1.0])
def test_a_camera_may_look_straight_down_or_up(height):
    camera = g.looking_at(np.array([0.0, 0.0, height]), np.zeros(3))
    assert_is_rotation(camera)
    np.testing.assert_allclose(camera[:, 0], [1.0, 0.0, 0.0])
    np.testing.assert_allclose(-camera[:, 2], [0.0, 0.0, -height])


def camera(**changes):
    """At the origin, looking along the world's z axis; its image spans 45 degrees to each side."""
    return g.PinholeCamera((0.5, 0.5), (0.5, 0.5), np.zeros(3), np.identity(3), **changes)


def test_a_point_on_the_axis_lies_in_the_middle_and_one_at_the_edge_at_the_edge():
    places, seen = camera().project(np.array([[0.0, 0.0, 2.0], [2.0, -2.0, 2.0]]))
    assert places == pytest.approx(np.array([[0.5, 0.5], [1.0, 0.0]]))
    assert seen.all()


def test_points_behind_the_camera_or_outside_the_image_do_not_show():
    _, seen = camera().project(np.array([[0.0, 0.0, -1.0], [3.0, 0.0, 2.0], [0.0, 0.1, 1.0]]))
    assert seen.tolist() == [False, False, True]


def test_the_pose_of_the_camera_counts():
    back = g.PinholeCamera((0.5, 0.5), (0.5, 0.5), np.array([0.0, 0.0, 3.0]), np.diag([-1.0, 1.0, -1.0]))
    places, _ = back.project(np.array([[1.0, 0.0, 1.0]]))
    assert places[0] == pytest.approx([0.25, 0.5])


def test_distortion_moves_points_away_from_the_middle():
    straight, _ = camera().project(np.array([[0.5, 0.0, 1.0]]))
    bent, _ = camera(distortion=np.array([0.2, 0.0, 0.0, 0.0, 0.0])).project(np.array([[0.5, 0.0, 1.0]]))
    assert bent[0, 0] - 0.5 == pytest.approx((straight[0, 0] - 0.5) * 1.05)
    assert bent[0, 1] == straight[0, 1]
