import numpy as np
import pytest

from glam.core.cameras import PinholeCamera


def camera(**changes):
    """At the origin, looking along the world's z axis; its image spans 45 degrees to each side."""
    return PinholeCamera((0.5, 0.5), (0.5, 0.5), np.zeros(3), np.identity(3), **changes)


def test_a_point_on_the_axis_lies_in_the_middle_and_one_at_the_edge_at_the_edge():
    places, seen = camera().project(np.array([[0.0, 0.0, 2.0], [2.0, -2.0, 2.0]]))
    assert places == pytest.approx(np.array([[0.5, 0.5], [1.0, 0.0]]))
    assert seen.all()


def test_points_behind_the_camera_or_outside_the_image_do_not_show():
    _, seen = camera().project(np.array([[0.0, 0.0, -1.0], [3.0, 0.0, 2.0], [0.0, 0.1, 1.0]]))
    assert seen.tolist() == [False, False, True]


def test_the_pose_of_the_camera_counts():
    back = PinholeCamera((0.5, 0.5), (0.5, 0.5), np.array([0.0, 0.0, 3.0]), np.diag([-1.0, 1.0, -1.0]))
    places, _ = back.project(np.array([[1.0, 0.0, 1.0]]))
    assert places[0] == pytest.approx([0.25, 0.5])


def test_distortion_moves_points_away_from_the_middle():
    straight, _ = camera().project(np.array([[0.5, 0.0, 1.0]]))
    bent, _ = camera(distortion=np.array([0.2, 0.0, 0.0, 0.0, 0.0])).project(np.array([[0.5, 0.0, 1.0]]))
    assert bent[0, 0] - 0.5 == pytest.approx((straight[0, 0] - 0.5) * 1.05)
    assert bent[0, 1] == straight[0, 1]
