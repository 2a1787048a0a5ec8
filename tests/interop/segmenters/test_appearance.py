"""Colours tell an object from its surroundings, also in other light."""

import numpy as np
import pytest
from tests.interop.segmenters import painted

from glam.core.errors import GlamError
from glam.interop.segmenters.appearance import learnt, of_colour


def two_squares():
    still = ((painted.RED, lambda frame: (5, 5)), (painted.BLUE, lambda frame: (30, 30)))
    return painted.film(*still, frames=2)


def test_what_was_learnt_from_one_image_is_found_elsewhere_in_another():
    images = two_squares()
    appearances = learnt(images[:1], painted.truth(images[:1], painted.RED))
    elsewhere = painted.film((painted.RED, lambda frame: (33, 8)), (painted.BLUE, lambda frame: (8, 33)), frames=1)
    (area, fit), *_ = appearances.find(elsewhere[0])
    np.testing.assert_array_equal(area, painted.truth(elsewhere, painted.RED)[0])
    assert fit > 0.95
    assert appearances.area == painted.SIDE**2


def test_a_colour_that_was_never_seen_is_not_the_objects():
    images = two_squares()
    appearances = learnt(images[:1], painted.truth(images[:1], painted.RED))
    green = np.full((4, 4, 3), (20, 200, 40), np.uint8)
    assert appearances.likeness(green).max() == 0.0
    assert appearances.find(green) == []


def test_a_thing_of_another_size_fits_less():
    images = two_squares()
    appearances = learnt(images[:1], painted.truth(images[:1], painted.RED))
    large = np.full((painted.SIZE, painted.SIZE, 3), painted.GREY, np.uint8)
    painted.square(large, 4, 4, painted.RED, side=20)
    ((_, fit),) = appearances.find(large)
    assert fit == pytest.approx(0.25, abs=0.05)


@pytest.mark.parametrize("light", [0.6, 1.0, 1.2])
def test_a_named_colour_is_found_in_less_and_more_light(light):
    colour = tuple(int(min(255, light * part)) for part in painted.RED)
    images = painted.film((colour, lambda frame: (20, 20)), (painted.BLUE, lambda frame: (2, 2)), frames=1)
    appearances = of_colour("#c81e1e", images)
    (area, _), *_ = appearances.find(images[0])
    np.testing.assert_array_equal(area, painted.truth(images, colour)[0])


def test_where_a_wall_has_the_named_colour_too_nothing_is_found():
    """Better no click, and a word about it, than one on the wall."""
    images = painted.film((painted.RED, lambda frame: (30, 5)), frames=1)
    images[0, 30:] = painted.RED
    assert of_colour("#c81e1e", images).find(images[0]) == []


def test_what_is_no_colour_is_refused():
    with pytest.raises(GlamError, match=r"colour '#12': write it as #RRGGBB"):
        of_colour("#12", two_squares())
