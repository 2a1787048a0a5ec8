"""Compressed chunks of a zarr array, by the names that numcodecs and imagecodecs give their codecs.

No decoder is trusted with the size of its result: what comes out must be exactly the chunk that the array describes.
"""

import bz2
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.interop.imports.stores.store import lacking

_IMAGES = {"imagecodecs_jpegxl": "jpegxl", "imagecodecs_jpeg2k": "jpeg2k", "imagecodecs_png": "png"}


def decode(codec: str, content: bytes, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """A chunk; images come in their shape, all else as a flat list. `codec` is empty for bare bytes."""
    if codec in _IMAGES:
        return _image(_IMAGES[codec], content, shape, dtype)
    if codec not in _BYTES:
        known = ", ".join(sorted([*filter(None, _BYTES), *_IMAGES]))
        raise GlamError(f"is packed with {codec!r}, which is not read; known are {known}")
    size = int(np.prod(shape)) * dtype.itemsize
    unpacked = _BYTES[codec](content, size)
    if len(unpacked) != size:
        raise GlamError(f"holds {len(unpacked)} bytes instead of {size}")
    return np.frombuffer(unpacked, dtype)


def _image(name: str, content: bytes, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    # Starting threads for one small image takes longer than decoding it.
    options = {} if name == "png" else {"numthreads": 1}
    pixels: NDArray[Any] = np.asarray(getattr(_imagecodecs(), f"{name}_decode")(content, **options))
    if np.squeeze(pixels).shape != tuple(side for side in shape if side != 1) or pixels.dtype != dtype:
        raise GlamError(f"is an image of shape {pixels.shape} and type {pixels.dtype}, not {shape} and {dtype}")
    return pixels.reshape(shape)


def _bare(content: bytes, size: int) -> bytes:
    del size
    return content


def _inflate(window: int) -> Callable[[bytes, int], bytes]:
    def unpack(content: bytes, size: int) -> bytes:
        unpacker = zlib.decompressobj(window)
        return _ended(unpacker.decompress(content, size + 1), unpacker)

    return unpack


def _bunzip(content: bytes, size: int) -> bytes:
    unpacker = bz2.BZ2Decompressor()
    return _ended(unpacker.decompress(content, size + 1), unpacker)


def _ended(unpacked: bytes, unpacker: Any) -> bytes:
    """Require the end of the stream, where the checksum is."""
    if not unpacker.eof:
        raise GlamError("ends too early, or goes on too long")
    return unpacked


def _blosc(content: bytes, size: int) -> bytes:
    # A header of 16 bytes: flags, unpacked size, size of a block, packed size; four bytes each.
    claimed = struct.unpack_from("<xxxxIxxxxI", content) if len(content) >= 16 else (-1, -1)
    if claimed != (size, len(content)):
        raise GlamError(f"claims to hold {claimed[0]} bytes in {claimed[1]}, not {size} in {len(content)}")
    return bytes(_imagecodecs().blosc_decode(content))


def _lz4(content: bytes, size: int) -> bytes:
    claimed = struct.unpack_from("<I", content)[0] if len(content) >= 4 else -1
    if claimed != size:
        raise GlamError(f"claims to hold {claimed} bytes, not {size}")
    return bytes(_imagecodecs().lz4_decode(content[4:], out=size))


def _zstd(content: bytes, size: int) -> bytes:
    return bytes(_imagecodecs().zstd_decode(content, out=size))


def _imagecodecs() -> Any:
    try:
        import imagecodecs  # noqa: PLC0415  an optional dependency
    except ImportError:
        raise lacking("imagecodecs", "compressed zarr arrays") from None
    return imagecodecs


_BYTES: dict[str, Callable[[bytes, int], bytes]] = {
    "": _bare,
    "blosc": _blosc,
    "bz2": _bunzip,
    "gzip": _inflate(zlib.MAX_WBITS + 16),
    "lz4": _lz4,
    "zlib": _inflate(zlib.MAX_WBITS),
    "zstd": _zstd,
}
