"""Edges go where the image has them."""

import numpy as np
from tests.interop.segmenters import painted

from glam.interop.segmenters.refinement import snapped
from glam.interop.segmenters.regions import grown, moved


def test_a_mask_that_is_off_by_a_pixel_becomes_exact():
    image = painted.film((painted.RED, lambda frame: (12, 20)), frames=1)[0]
    true = painted.truth(image[None], painted.RED)[0]
    for wrong in (moved(true, 1, 0), moved(true, 0, -1), grown(true, 1), grown(true, -1)):
        np.testing.assert_array_equal(snapped(wrong, image, band=2), true)


def test_an_error_larger_than_the_band_is_left_alone():
    """Colours then no longer tell what is inside: the model may well see more than they do."""
    image = painted.film((painted.RED, lambda frame: (12, 20)), frames=1)[0]
    half = painted.truth(image[None], painted.RED)[0].copy()
    half[:, 17:] = False
    np.testing.assert_array_equal(snapped(half, image, band=1), half)


def test_each_side_of_a_thing_is_compared_with_its_own_neighbours():
    """A cube has faces of different shades: a mean colour of the whole would be wrong for all of them."""
    image = np.full((40, 40, 3), painted.GREY, np.uint8)
    image[10:20, 10:20], image[10:20, 20:30] = painted.RED, painted.BLACK
    true = (image != np.array(painted.GREY, np.uint8)).any(-1)
    np.testing.assert_array_equal(snapped(moved(true, 1, 1), image, band=2), true)


def test_where_colours_say_nothing_the_model_is_believed():
    image = np.full((40, 40, 3), painted.GREY, np.uint8)
    mask = np.zeros((40, 40), bool)
    mask[10:20, 12:22] = True
    np.testing.assert_array_equal(snapped(mask, image, band=2), mask)


def test_a_mask_too_thin_to_have_a_core_stays_as_it_is():
    image = painted.film((painted.RED, lambda frame: (12, 20)), frames=1)[0]
    line = np.zeros(image.shape[:2], bool)
    line[24, 12:22] = True
    np.testing.assert_array_equal(snapped(line, image, band=2), line)
    np.testing.assert_array_equal(snapped(~np.zeros_like(line), image, band=2), ~np.zeros_like(line))
