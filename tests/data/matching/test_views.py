"""Images that are upside down, mirrored or turned are seen, and those that are not are left alone."""

import numpy as np
import pytest

from glam.data.matching.views import TURNS, View, fault

FAULTS = {
    "upside down": np.flipud,
    "mirrored": np.fliplr,
    "turned by 180 degrees": lambda image: np.rot90(image, 2),
    "turned by 90 degrees clockwise": lambda image: np.rot90(image, -1),
    "turned by 90 degrees counter-clockwise": lambda image: np.rot90(image, 1),
}


def scene(seed=0, noise=0.0):
    """A wall above a table with a lamp on the left."""
    image = np.zeros((24, 24, 3))
    image[:9], image[9:] = [200.0, 200.0, 210.0], [120.0, 90.0, 60.0]
    image[4:15, 2:7] = [20.0, 20.0, 160.0]
    image += np.random.default_rng(seed).normal(0.0, noise, image.shape)
    return View(image.astype(np.uint8), image)


@pytest.mark.parametrize("how", FAULTS)
def test_a_fault_is_named_with_what_undoes_it(how):
    spoilt = FAULTS[how](scene(1, 20.0).mean)
    found = fault(scene(), View(spoilt.astype(np.uint8), spoilt))
    assert found is not None
    assert found[0] == how
    assert found[2] > 0.8 > found[3]
    np.testing.assert_array_equal(TURNS[how][0](FAULTS[how](scene().mean)), scene().mean)


def test_images_as_they_should_be_are_no_fault():
    assert fault(scene(), scene(1, 30.0)) is None


def test_scenes_that_have_nothing_in_common_are_not_compared():
    rng = np.random.default_rng(0)
    noise = View(np.zeros((24, 24, 3), np.uint8), rng.normal(0.0, 1.0, (24, 24, 3)))
    assert fault(scene(), noise) is None
    blank = View(noise.first, np.full((24, 24, 3), 7.0))
    assert fault(blank, scene()) is None
