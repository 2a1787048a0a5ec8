import io
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from glam.core.errors import GlamError
from glam.data.masks import decode_picture, encode_picture


@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 4), st.integers(0, 2**32 - 1), st.sampled_from([2, 256]))
def test_pictures_come_back_exactly(height, width, channels, seed, levels):
    values = np.random.default_rng(seed).integers(0, levels, (height, width, channels))
    picture = (values * (255 // (levels - 1))).astype(np.uint8)
    np.testing.assert_array_equal(decode_picture(encode_picture(picture)), picture)


@pytest.mark.parametrize(("channels", "mode"), [(1, "L"), (2, "LA"), (3, "RGB"), (4, "RGBA")])
def test_others_read_our_pictures_with_the_mode_of_their_channels(channels, mode):
    picture = np.random.default_rng(0).integers(0, 2, (6, 8, channels)).astype(np.uint8) * 255
    with Image.open(io.BytesIO(encode_picture(picture))) as image:
        assert (image.mode, image.size, image.format) == (mode, (8, 6), "PNG")
        np.testing.assert_array_equal(np.asarray(image).reshape(picture.shape), picture)


def test_a_mask_takes_little_room():
    mask = np.zeros((96, 96, 2), np.uint8)
    mask[30:50, 40:60, 0] = 255
    assert len(encode_picture(mask)) < 300


def test_equal_masks_give_equal_bytes():
    mask = np.eye(16, dtype=np.uint8)[..., None] * 255
    assert encode_picture(mask) == encode_picture(mask.copy())


def test_pictures_written_by_others_are_read():
    picture = np.random.default_rng(1).integers(0, 256, (10, 12, 3)).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "PNG", optimize=True)
    np.testing.assert_array_equal(decode_picture(buffer.getvalue()), picture)


@pytest.mark.parametrize("content", [b"", b"no picture", encode_picture(np.zeros((8, 8, 1), np.uint8))[:40]])
def test_what_is_not_a_picture_is_an_error(content):
    with pytest.raises(GlamError, match="cannot be read"):
        decode_picture(content)


def test_a_flipped_bit_in_the_pixels_is_an_error():
    content = bytearray(encode_picture(np.eye(16, dtype=np.uint8)[..., None] * 255))
    content[content.index(b"IDAT") + 8] ^= 1
    with pytest.raises(GlamError, match="cannot be read"):
        decode_picture(bytes(content))


def test_a_palette_picture_is_refused_with_the_allowed_modes():
    buffer = io.BytesIO()
    Image.new("P", (4, 4)).save(buffer, "PNG")
    with pytest.raises(GlamError, match=r"mode 'P'; allowed are L, LA, RGB, RGBA"):
        decode_picture(buffer.getvalue())


def test_a_picture_is_only_as_large_as_it_says():
    picture = encode_picture(np.full((4, 4, 1), 255, np.uint8))
    start = picture.index(b"IDAT") + 4
    assert len(zlib.decompress(picture[start:-16])) == 4 * 5
