"""Edges of a mask where the image has them: a model that sees an enlarged image is wrong by a fraction of a pixel.

On a thing of 14 pixels that fraction is a tenth of its area. So every pixel near the edge goes to the side whose
nearby pixels it resembles most.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from glam.interop.segmenters.appearance import Image
from glam.interop.segmenters.regions import Mask, bounds, grown

_REACH = 3  # pixels: as far as a pixel looks for others that resemble it
_UNLIKE = 3 * 255**2 + 1  # more than any difference between colours


def snapped(mask: Mask, image: Image, band: int) -> Mask:
    """The mask with the `band` pixels on both sides of its edge decided by their colours."""
    core, around = grown(mask, -band), grown(mask, band)
    if not core.any() or around.all():
        return mask
    window = tuple(_widened(part, side) for part, side in zip(bounds(around), mask.shape, strict=True))
    colours = image[window].astype(np.int32)
    inside = _least_difference(colours, core[window])
    outside = _least_difference(colours, ~around[window])
    decided = mask.copy()
    # At the border of the image there may be nothing of a side to compare with.
    is_known = around[window] & ~core[window] & (np.maximum(inside, outside) < _UNLIKE) & (inside != outside)
    decided[window] = np.where(is_known, inside < outside, mask[window])
    return decided


def _widened(part: slice, side: int) -> slice:
    return slice(max(part.start - _REACH, 0), min(part.stop + _REACH, side))


def _least_difference(colours: NDArray[np.int32], area: Mask) -> NDArray[np.int64]:
    """Squared difference of each pixel to the most similar pixel of `area` within reach. (y, x)."""
    least = np.full(area.shape, _UNLIKE, np.int64)
    for here, there in _shifts(*area.shape):
        difference = ((colours[here] - colours[there]) ** 2).sum(-1)
        least[here] = np.minimum(least[here], np.where(area[there], difference, _UNLIKE))
    return least


def _shifts(height: int, width: int) -> Iterator[tuple[tuple[slice, slice], tuple[slice, slice]]]:
    """Pairs of views such that every pixel of the first lies beside one of the second, in every direction in turn."""
    for y in range(-_REACH, _REACH + 1):
        for x in range(-_REACH, _REACH + 1):
            here = slice(max(y, 0), height + min(y, 0)), slice(max(x, 0), width + min(x, 0))
            there = slice(max(-y, 0), height - max(y, 0)), slice(max(-x, 0), width - max(x, 0))
            yield here, there
