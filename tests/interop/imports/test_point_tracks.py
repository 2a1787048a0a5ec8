import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.data.tracks import points_of
from glam.interop.imports.point_tracks import PointTracks, read_points

SIZES = np.array([[640.0, 480.0], [640.0, 480.0]])


def episode(*places):
    """Both fingers at the same places, always seen."""
    values = np.array(places, float)[:, None].repeat(2, 1)
    return values, np.ones(values.shape[:2], bool)


def test_pixels_become_units_of_the_image_and_units_stay():
    for place, unit in (((320.0, 120.0), "pixels"), ((0.5, 0.25), "units of the image")):
        places, seen = episode(place, place)
        (made,), told = read_points([np.arange(len(seen))], [places], [seen], SIZES, "tracks")
        assert (told.unit, told.outside, told.seen) == (unit, 0, 4)
        np.testing.assert_allclose(made.places, np.full((2, 2, 2), (0.5, 0.25)))


def test_points_outside_the_image_count_as_hidden():
    places, seen = episode((320.0, 120.0), (700.0, 120.0), (10.0, 20.0))
    (made,), told = read_points([np.arange(len(seen))], [places], [seen], SIZES, "tracks")
    assert (told.outside, told.seen) == (2, 6)
    assert made.seen[:, 0].tolist() == [True, False, True]


def test_tracks_outside_their_images_are_refused_in_one_sentence():
    places, seen = episode((1300.0, 120.0), (900.0, 1000.0), (10.0, 20.0))
    with pytest.raises(GlamError, match=r"4 of 6 points lie outside their images, read as pixels; u and v are pixels"):
        read_points([np.arange(len(seen))], [places], [seen], SIZES, "tracks")


def test_tracks_that_are_all_hidden_are_refused_in_one_sentence():
    places, seen = episode((1.0, 1.0), (2.0, 2.0))
    with pytest.raises(GlamError, match="every fingertip is hidden in all frames; leave the tracks out"):
        read_points([np.arange(len(seen))], [places], [~seen], SIZES, "tracks")


def test_between_two_samples_a_point_is_between_them_and_next_to_a_hidden_one_at_the_nearer():
    places = np.array([[[0.1, 0.2]], [[0.3, 0.4]], [[0.9, 0.9]]])
    tracks = PointTracks(np.array([0.0, 0.1, 0.2]), places, np.array([[True], [True], [False]]))
    found, seen = points_of(tracks.at(np.array([0.0, 0.05, 0.12, 0.18])))
    np.testing.assert_allclose(found[:, 0], [[0.1, 0.2], [0.2, 0.3], [0.3, 0.4], [0.3, 0.4]], atol=1e-6)
    assert seen[:, 0].tolist() == [True, True, True, False]
    assert tracks.part(1, 2).seen[:, 0].tolist() == [True, False]
