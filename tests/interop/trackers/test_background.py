import numpy as np
import pytest
from tests.interop.trackers.film import film

from glam.interop.trackers.background import changed, shrunk


def test_what_stands_still_has_not_changed_and_what_moves_has():
    images, tips = film()
    share = changed(images)
    assert share[10, 90, 5] < 0.1
    x, y = tips[10, 0].round().astype(int)
    assert share[10, y - 8, x] == 1.0


def test_a_camera_that_moves_has_no_background():
    images = np.random.default_rng(0).integers(0, 255, (8, 16, 16, 3)).astype(np.uint8)
    assert (changed(images) == 1.0).all()


def test_smaller_images_are_averages_of_whole_blocks():
    images = np.arange(2 * 5 * 4 * 3).reshape(2, 5, 4, 3).astype(np.uint8)
    found = shrunk(images, 2)
    assert found.shape == (2, 2, 2, 3)
    assert found[0, 0, 0, 0] == pytest.approx(images[0, :2, :2, 0].mean(), abs=0.5)
    assert shrunk(images, 1) is images
