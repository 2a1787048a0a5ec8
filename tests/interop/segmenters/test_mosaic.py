"""Several images on one canvas: each is found again where it was put."""

import numpy as np
import pytest
from PIL import Image
from tests.interop.segmenters import painted

from glam.interop.segmenters.mosaic import CANVAS, MASK, Mosaic
from glam.interop.segmenters.regions import overlap


@pytest.mark.parametrize("size", [(96, 96), (64, 64), (90, 160), (120, 96), (480, 640)])
def test_a_mask_cut_from_the_canvas_lies_where_its_image_lies(size):
    """The canvas itself, reduced to the size of a mask, is a mask of every white square on it."""
    height, width = size
    images = np.zeros((*size, 3), np.uint8)
    images[height // 4 : height // 2, width // 2 : 3 * width // 4] = 255
    mosaic = Mosaic.fitting(size)
    whole = Image.fromarray(mosaic.canvas(images[None])[..., 0]).resize((MASK, MASK), Image.Resampling.BOX)
    logits = np.asarray(whole, np.float32) - 127.5
    for number in range(mosaic.count):
        assert overlap(mosaic.cut(number, logits) > 0, images[..., 0] > 0) > 0.9


def test_places_on_the_canvas_show_what_the_image_shows_there():
    images = painted.film((painted.RED, lambda frame: (3 * frame, 5)), frames=9)
    mosaic = Mosaic((painted.SIZE, painted.SIZE), 3)
    canvas = mosaic.canvas(images)
    assert canvas.shape == (CANVAS, CANVAS, 3)
    for frame in range(9):
        ((x, y),) = mosaic.on_canvas(frame, np.array([[3 * frame + 5.0, 10.0]], np.float32))
        np.testing.assert_array_equal(canvas[int(y), int(x)], painted.RED)


def test_free_places_show_the_last_image():
    images = painted.film((painted.RED, lambda frame: (10, 10)), frames=1)
    canvas = Mosaic((48, 48), 2).canvas(images)
    np.testing.assert_array_equal(canvas[:512, :512], canvas[512:, 512:])


@pytest.mark.parametrize(("size", "per_side"), [((48, 48), 8), ((96, 96), 4), ((128, 128), 3), ((480, 640), 1)])
def test_larger_images_share_a_canvas_with_fewer(size, per_side):
    mosaic = Mosaic.fitting(size)
    assert mosaic.per_side == per_side
    assert mosaic.per_side == 1 or mosaic.scale >= 2.5
