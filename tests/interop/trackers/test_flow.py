import numpy as np
import pytest

from glam.interop.trackers.flow import OpticalFlowConfig, followed, pyramid, sampled, similarity, window

CONFIG = OpticalFlowConfig()


def texture(shift=(0.0, 0.0)):
    y, x = np.mgrid[0:64, 0:80].astype(float)
    x, y = x - shift[0], y - shift[1]
    return np.stack([128 + 60 * np.sin(0.3 * x + k) * np.cos(0.25 * y - k) for k in range(3)], axis=-1)


def test_values_between_pixels_are_interpolated_and_edges_repeated():
    image = np.arange(12.0).reshape(3, 4, 1)
    found = sampled(image, np.array([[1.5, 0.5], [-4.0, 0.0], [9.0, 9.0]]))
    assert found[:, 0] == pytest.approx([3.5, 0.0, 11.0])


@pytest.mark.parametrize("shift", [(0.4, -0.3), (3.0, 2.0), (-5.5, 4.0)])
def test_a_shift_is_found_to_a_fraction_of_a_pixel(shift):
    before, after = (pyramid(texture(part), CONFIG.levels) for part in ((0.0, 0.0), shift))
    places = np.array([[30.0, 30.0], [45.0, 25.0]])
    assert followed(before, after, places, CONFIG) == pytest.approx(places + shift, abs=0.1)


def test_a_small_image_has_a_short_pyramid():
    assert len(pyramid(texture()[:20, :20], 5)) < 3


def test_equal_patches_are_alike_whatever_their_brightness():
    patches = sampled(texture(), window(np.array([[30.0, 30.0], [40.0, 20.0]]), 9))
    assert similarity(patches, 0.5 * patches + 20.0) == pytest.approx([1.0, 1.0])
    assert (np.abs(similarity(patches, patches[::-1])) < 0.9).all()
