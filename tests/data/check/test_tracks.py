import numpy as np
import pytest

from glam.data.check.finding import Finding
from glam.data.check.tracks import check_tracks
from glam.data.tracks import track_names, tracks_of

NAMES = track_names(("arm",), ("front", "overhead"))


class Rows:
    """An episode of which findings are made."""

    def finding(self, code, problem, frame=None):
        return Finding(code, "data", problem, 0, frame)


@pytest.fixture
def tracks():
    """Two fingers in two cameras, 0.2 apart, that move by 0.01 a frame."""
    start = np.array([[0.3, 0.4], [0.5, 0.4], [0.3, 0.6], [0.5, 0.6]])
    places = start + 0.01 * np.arange(10)[:, None, None]
    return tracks_of(places, np.ones((10, 4), bool)).astype(np.float64)


def found(tracks):
    return [(one.code, one.problem, one.frame) for one in check_tracks(Rows(), tracks, NAMES)]


def test_sound_tracks_have_no_finding(tracks):
    assert found(tracks) == []


def test_a_point_outside_the_image_is_found(tracks):
    tracks[4, 0] = 1.2
    assert found(tracks) == [("track-outside", "arm.front.left is seen outside the image", 4)]
    tracks[4, 2] = 0.0
    assert found(tracks) == []


def test_fingers_that_change_places_are_found_once_for_each_change(tracks):
    tracks[5:, :6] = tracks[5:, [3, 4, 5, 0, 1, 2]]
    (one,) = found(tracks)
    assert one == ("track-swapped", "the fingers of arm.front change places between two frames", 5)


def test_fingers_that_touch_cannot_change_places(tracks):
    tracks[:, 3] = tracks[:, 0] + 0.005
    tracks[5:, :6] = tracks[5:, [3, 4, 5, 0, 1, 2]]
    assert found(tracks) == []


def test_a_camera_in_which_both_are_hidden_throughout_is_found(tracks):
    tracks[:, [8, 11]] = 0.0
    assert found(tracks) == [("track-hidden", "both fingers of arm.overhead are hidden in every frame", None)]


def test_a_flag_that_is_neither_0_nor_1_is_found(tracks):
    tracks[3, 2] = 0.4
    assert found(tracks)[0] == ("track-visible", "arm.front.left.visible is neither 0 nor 1", 3)
