import imagecodecs
import numpy as np
import pytest
from tests.interop.imports.stores.arrays import CODECS, IMAGES

from glam.core.errors import GlamError
from glam.interop.imports.stores import codecs


@pytest.mark.parametrize("codec", ["bz2", "gzip", "zlib", "zstd", "lz4", "blosc"])
def test_a_bomb_is_not_unpacked_beyond_what_it_should_hold(codec):
    bomb = CODECS[codec].encode(bytes(10**7))
    with pytest.raises((GlamError, RuntimeError)):  # zstd says so itself
        codecs.decode(codec, bytes(bomb), (10,), np.dtype("u1"))


def test_an_image_of_another_size_is_refused():
    png = imagecodecs.png_encode(IMAGES[0])
    with pytest.raises(GlamError, match="is an image of shape"):
        codecs.decode("imagecodecs_png", png, (1, 8, 8, 3), np.dtype("u1"))
