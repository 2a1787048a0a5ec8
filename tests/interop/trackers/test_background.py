import numpy as np
import pytest
from tests.interop.trackers.film import film

from glam.interop.trackers.background import changed, shrunk, usual_colours


def test_what_stands_still_has_not_changed_and_what_moves_has():
    images, tips = film()
    share = changed(images, usual_colours(images))
    assert share[10, 90, 5] < 0.1
    x, y = tips[10, 0].round().astype(int)
    assert share[10, y - 8, x] == 1.0


def test_a_camera_that_moves_has_no_background():
    images = np.random.default_rng(0).integers(0, 255, (8, 16, 16, 3)).astype(np.uint8)
    assert (changed(images, usual_colours(images)) == 1.0).all()


def test_what_stands_still_for_most_of_a_film_is_no_background_if_others_show_what_is_behind_it():
    images, tips = film()
    empty = usual_colours(images)
    still = np.concatenate([images[:4], images[20:21].repeat(30, axis=0)])
    x, y = tips[20, 0].round().astype(int)
    assert changed(still, usual_colours(still))[-1, y - 8, x] == 0.0
    assert changed(still, empty)[-1, y - 8, x] == 1.0


def test_where_the_usual_colours_are_never_shown_the_median_of_the_film_is_the_background():
    images, tips = film()
    share = changed(images, np.zeros(images.shape[1:]))
    x, y = tips[10, 0].round().astype(int)
    assert (share[10, 90, 5] < 0.1, share[10, y - 8, x]) == (True, 1.0)


def test_smaller_images_are_averages_of_whole_blocks():
    images = np.arange(2 * 5 * 4 * 3).reshape(2, 5, 4, 3).astype(np.uint8)
    found = shrunk(images, 2)
    assert found.shape == (2, 2, 2, 3)
    assert found[0, 0, 0, 0] == pytest.approx(images[0, :2, :2, 0].mean(), abs=0.5)
    assert shrunk(images, 1) is images
