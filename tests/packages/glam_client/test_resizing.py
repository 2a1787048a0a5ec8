import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glam_client.resizing import overlaps, resize

SIDES = st.integers(1, 13)


def by_repetition(image, size):
    """The definition: cut every pixel into so many equal parts that whole ones make up each new pixel."""
    fine = image.astype(int).repeat(size[0], axis=0).repeat(size[1], axis=1)
    sums = fine.reshape(size[0], image.shape[0], size[1], image.shape[1]).sum((1, 3))
    return (2 * sums + image.size) // (2 * image.size)


def noise(*shape):
    return np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)


@given(old=st.tuples(SIDES, SIDES), new=st.tuples(SIDES, SIDES), seed=st.integers(0, 9))
def test_a_pixel_is_the_exact_mean_of_the_area_it_covers(old, new, seed):
    image = np.random.default_rng(seed).integers(0, 256, old).astype(np.uint8)
    assert np.array_equal(resize(image[None, :, :, None], new)[0, :, :, 0], by_repetition(image, new))


def test_three_pixels_become_two_with_half_of_the_middle_one_each():
    assert resize(np.uint8([[[[0], [90], [240]]]]), (1, 2)).ravel().tolist() == [30, 190]


def test_halves_are_rounded_up():
    assert resize(np.uint8([[[[0], [1]]]]), (1, 1)).item() == 1
    assert resize(np.uint8([[[[1], [2]]]]), (1, 1)).item() == 2


def test_a_mask_becomes_the_covered_share_of_each_pixel():
    mask = np.zeros((1, 96, 96, 1), np.uint8)
    mask[:, 30:60, 30:60] = 255
    soft = resize(mask, (64, 64))[0, :, :, 0]
    assert soft[20:40, 20:40].min() == 255
    assert soft.sum() == 20 * 20 * 255
    mask[:, 60, 30:60] = 255
    assert resize(mask, (64, 64))[0, 40, 20:40, 0].tolist() == [170] * 20  # two thirds of 255


@pytest.mark.parametrize("value", [0, 1, 127, 255])
@pytest.mark.parametrize("size", [(64, 64), (41, 97), (224, 3)])
def test_a_uniform_image_stays_uniform(value, size):
    assert (resize(np.full((2, 96, 96, 3), value, np.uint8), size) == value).all()


def test_channels_and_images_do_not_mix():
    images = noise(40, 12, 18, 3)
    resized = resize(images, (8, 5))
    assert resized.shape == (40, 8, 5, 3)
    for t, c in [(0, 0), (15, 1), (16, 2), (39, 2)]:
        assert np.array_equal(resized[t, :, :, c], resize(images[t : t + 1, :, :, c : c + 1], (8, 5))[0, :, :, 0])


def test_large_images_of_the_brightest_kind_do_not_overflow():
    assert (resize(np.full((1, 479, 641, 1), 255, np.uint8), (64, 64)) == 255).all()


def test_the_same_size_is_returned_unchanged():
    images = noise(2, 8, 8, 3)
    assert resize(images, (8, 8)) is images


@given(old=st.integers(1, 200), new=st.integers(1, 200))
def test_overlaps_share_out_every_pixel_completely(old, new):
    shares = overlaps(old, new)
    assert (shares >= 0).all()
    assert (shares.sum(1) == old).all()
    assert (shares.sum(0) == new).all()
