import numpy as np
from tests.interop.trackers.film import film

from glam.interop.trackers.background import without_background


def test_what_stands_still_becomes_grey_and_what_moves_stays():
    images, tips = film()
    shown = without_background(images)
    assert np.abs(shown[10, 90, 5] - 128.0).max() < 1.0
    x, y = tips[10, 0].round().astype(int)
    assert np.abs(shown[10, y - 8, x] - images[10, y - 8, x]).max() < 2.0


def test_a_camera_that_moves_has_no_background():
    images = np.random.default_rng(0).integers(0, 255, (8, 16, 16, 3)).astype(np.uint8)
    assert (without_background(images) == images).all()
