import io
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from glam.core.errors import GlamError
from glam.data.image_codecs import decode_image, encode_image


@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 4), st.integers(0, 2**32 - 1), st.sampled_from([2, 256]))
def test_images_come_back_exactly(height, width, channels, seed, levels):
    values = np.random.default_rng(seed).integers(0, levels, (height, width, channels))
    image = (values * (255 // (levels - 1))).astype(np.uint8)
    np.testing.assert_array_equal(decode_image(encode_image(image)), image)


@pytest.mark.parametrize(("channels", "mode"), [(1, "L"), (2, "LA"), (3, "RGB"), (4, "RGBA")])
def test_others_read_our_images_with_the_mode_of_their_channels(channels, mode):
    image = np.random.default_rng(0).integers(0, 2, (6, 8, channels)).astype(np.uint8) * 255
    with Image.open(io.BytesIO(encode_image(image))) as read:
        assert (read.mode, read.size, read.format) == (mode, (8, 6), "PNG")
        np.testing.assert_array_equal(np.asarray(read).reshape(image.shape), image)


def test_a_mask_takes_little_room():
    mask = np.zeros((96, 96, 2), np.uint8)
    mask[30:50, 40:60, 0] = 255
    assert len(encode_image(mask)) < 300


def test_equal_masks_give_equal_bytes():
    mask = np.identity(16, dtype=np.uint8)[..., None] * 255
    assert encode_image(mask) == encode_image(mask.copy())


def test_images_written_by_others_are_read():
    image = np.random.default_rng(1).integers(0, 256, (10, 12, 3)).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "PNG", optimize=True)
    np.testing.assert_array_equal(decode_image(buffer.getvalue()), image)


@pytest.mark.parametrize("content", [b"", b"no image", encode_image(np.zeros((8, 8, 1), np.uint8))[:40]])
def test_what_is_not_an_image_is_an_error(content):
    with pytest.raises(GlamError, match="cannot be read"):
        decode_image(content)


def test_a_flipped_bit_in_the_pixels_is_an_error():
    content = bytearray(encode_image(np.identity(16, dtype=np.uint8)[..., None] * 255))
    content[content.index(b"IDAT") + 8] ^= 1
    with pytest.raises(GlamError, match="cannot be read"):
        decode_image(bytes(content))


def test_a_palette_image_is_refused_with_the_allowed_modes():
    buffer = io.BytesIO()
    Image.new("P", (4, 4)).save(buffer, "PNG")
    with pytest.raises(GlamError, match=r"mode 'P'; allowed are L, LA, RGB, RGBA"):
        decode_image(buffer.getvalue())


def test_an_image_is_only_as_large_as_it_says():
    image = encode_image(np.full((4, 4, 1), 255, np.uint8))
    start = image.index(b"IDAT") + 4
    assert len(zlib.decompress(image[start:-16])) == 4 * 5
