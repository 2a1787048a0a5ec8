import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import ndimage

from glam.interop.segmenters.regions import bounds, box, grown, middle, moved, overlap, pieces, without_holes

MASKS = arrays(bool, st.tuples(st.integers(1, 12), st.integers(1, 12)))


@given(MASKS)
def test_pieces_are_those_that_scipy_finds(mask):
    labels, count = ndimage.label(mask)
    found = pieces(mask)
    expected = {tuple(map(tuple, np.argwhere(labels == number))) for number in range(1, count + 1)}
    assert {tuple(map(tuple, np.argwhere(piece))) for piece in found} == expected
    sizes = [np.count_nonzero(piece) for piece in found]
    assert sizes == sorted(sizes, reverse=True)


@given(MASKS, st.integers(0, 3))
def test_growing_and_shrinking_are_those_of_scipy(mask, steps):
    more = ndimage.binary_dilation(mask, iterations=steps) if steps else mask
    np.testing.assert_array_equal(grown(mask, steps), more)
    less = ndimage.binary_erosion(mask, iterations=steps) if steps else mask
    np.testing.assert_array_equal(grown(mask, -steps), less)


@given(MASKS)
def test_the_middle_is_a_pixel_of_the_area_and_none_is_deeper_inside(mask):
    if not mask.any():
        return
    x, y = middle(mask)
    depth = ndimage.distance_transform_cdt(np.pad(mask, 1), metric="taxicab")[1:-1, 1:-1]
    assert depth[int(y), int(x)] == depth.max()
    assert (x % 1, y % 1) == (0.5, 0.5)


@given(MASKS, st.integers(-13, 13), st.integers(-13, 13))
def test_a_moved_area_is_as_if_pasted_elsewhere(mask, x, y):
    wide = np.pad(mask, 20)
    expected = np.roll(wide, (y, x), axis=(0, 1))[20:-20, 20:-20]
    np.testing.assert_array_equal(moved(mask, x, y), expected)


def test_overlap_is_intersection_over_union():
    one, other = np.zeros((2, 4, 4), bool)
    one[:2], other[1:3] = True, True
    assert overlap(one, other) == pytest.approx(4 / 12)
    assert overlap(one, one) == 1.0
    assert overlap(np.zeros((3, 3), bool), np.zeros((3, 3), bool)) == 1.0


def test_boxes_end_after_the_last_pixel():
    mask = np.zeros((6, 8), bool)
    mask[2:5, 3] = True
    assert box(mask) == (3.0, 2.0, 4.0, 5.0)
    assert bounds(mask) == (slice(2, 5), slice(3, 4))


def test_small_enclosed_holes_are_filled_and_bays_are_not():
    mask = np.zeros((8, 8), bool)
    mask[1:7, 1:7] = True
    mask[3, 3] = False
    mask[0:3, 5] = False
    filled = without_holes(mask, largest=1)
    assert filled[3, 3]
    assert not filled[1, 5]
    assert not without_holes(mask, largest=0)[3, 3]
