"""What the stores of these tests hold, and how zarr packs it."""

import numcodecs
import numpy as np
from tests.data import tiny

NUMBERS = np.arange(60, dtype="<f4").reshape(20, 3)
IMAGES = tiny.images((16, 16), 5, 0)
CODECS = {
    "blosc": numcodecs.Blosc("lz4", shuffle=numcodecs.Blosc.SHUFFLE),
    "blosc zstd": numcodecs.Blosc("zstd", shuffle=numcodecs.Blosc.BITSHUFFLE),
    "bz2": numcodecs.BZ2(),
    "gzip": numcodecs.GZip(),
    "lz4": numcodecs.LZ4(),
    "none": None,
    "zlib": numcodecs.Zlib(),
    "zstd": numcodecs.Zstd(),
}
