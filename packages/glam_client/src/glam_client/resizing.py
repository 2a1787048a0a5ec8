"""Resize images by exact area averaging: a pixel is the mean over its area, rounded half up.

All arithmetic is on integers, so the result is the same bytes on every machine.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

_AT_ONCE = 16  # images: fast at 96 px, and bounds the memory for long episodes of large images


def resize(images: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.uint8]:
    """(T, Y, X, C) at another height and width; a mask of 0 and 255 becomes 255 times each pixel's covered share."""
    count, height, width, channels = images.shape
    if (height, width) == size:
        return images
    resized = np.empty((count, *size, channels), np.uint8)
    for first in range(0, count, _AT_ONCE):
        resized[first : first + _AT_ONCE] = _averaged(images[first : first + _AT_ONCE], size)
    return resized


def overlaps(old: int, new: int) -> NDArray[np.int64]:
    """Overlap of each `new` pixel with each `old` pixel, in units of 1 / (old new) of the side. (new, old)."""
    old_edges, new_edges = np.arange(old + 1) * new, np.arange(new + 1) * old
    ends = np.minimum(new_edges[1:, None], old_edges[None, 1:])
    starts = np.maximum(new_edges[:-1, None], old_edges[None, :-1])
    return np.maximum(ends - starts, 0)


def _averaged(images: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[Any]:
    count, height, width, channels = images.shape
    area = _period(height, size[0]) * _period(width, size[1])  # the weights of a pixel add up to this
    dtype = np.min_scalar_type(2 * 255 * area + area)  # of the largest number below: the narrower, the faster
    rows = _weighted_sums(images.reshape(count, height, -1), size[0], dtype)  # (T, y, X C)
    # Columns before rows, so that the second pass also works on long runs of neighbours.
    turned = rows.reshape(count, size[0], width, channels).transpose(0, 2, 3, 1).reshape(count, width, -1)
    sums = _weighted_sums(turned, size[1], dtype)  # (T, x, C y)
    means: NDArray[Any] = (2 * sums + dtype.type(area)) // dtype.type(2 * area)
    return means.reshape(count, size[1], channels, size[0]).transpose(0, 3, 1, 2)


def _weighted_sums(lines: NDArray[Any], new: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Resize the middle axis, without dividing by the sum of the weights. (T, old, M) -> (T, new, M).

    Weights repeat: 96 pixels become 64 as 3 become 2, 32 times. So all 32 are done at once, as one strided operation.
    """
    count, old, many = lines.shape
    period = _period(old, new)
    repeats = old // period
    weights = overlaps(period, new // repeats).astype(dtype)
    groups = lines.reshape(count, repeats, period, many)
    sums = np.zeros((count, repeats, new // repeats, many), dtype)
    for j, i in np.argwhere(weights):
        sums[:, :, j] += groups[:, :, i] * weights[j, i]
    return sums.reshape(count, new, many)


def _period(old: int, new: int) -> int:
    """Number of old pixels until an edge of old and new pixels coincides again."""
    return old // math.gcd(old, new)
