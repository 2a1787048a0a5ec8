"""Small lossless images inside the data file: object masks as PNG, one channel per object.

The PNG is put together here, unfiltered and lightly compressed: on two-valued areas this is several times faster than
Pillow at its default level, for files of about the same size (0.3 kB at 96 px). Reading takes any PNG or JPEG.
"""

import io
import struct
import zlib

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from glam.core.errors import GlamError

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}  # channels -> L, LA, RGB, RGBA
_CHANNELS = {"L": 1, "LA": 2, "RGB": 3, "RGBA": 4}


def encode_image(image: NDArray[np.uint8]) -> bytes:
    """PNG bytes of (Y, X, C) with 1 to 4 channels."""
    height, width, channels = image.shape
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = image.reshape(height, -1)
    pixels = zlib.compress(rows.tobytes(), level=3)  # from 4 on, zlib takes several times longer
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")


def decode_image(content: bytes) -> NDArray[np.uint8]:
    """(Y, X, C) of a PNG or JPEG."""
    try:
        with Image.open(io.BytesIO(content), formats=("PNG", "JPEG")) as image:
            pixels = np.asarray(image)
            channels = _CHANNELS[image.mode]
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise GlamError(f"the image cannot be read ({error})") from None
    except KeyError as error:
        raise GlamError(f"the image has mode {error}; allowed are {', '.join(_CHANNELS)}") from None
    return pixels.reshape(*pixels.shape[:2], channels)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
