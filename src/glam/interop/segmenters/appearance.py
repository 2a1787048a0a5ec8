"""Appearance of an object by its colours: to find it in another episode, or again after it was hidden.

Colours are counted in coarse boxes of RGB. Each box then knows how likely a pixel of its colour belongs to the object.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.interop.segmenters.regions import Mask, grown, pieces
from glam.interop.segmenters.segmenter import Images

Image = NDArray[np.uint8]
"""(Y, X, 3)."""
Shares = NDArray[np.float32]
"""(Y, X), 0..1."""

_LEVELS = 16
_PRIOR = 1e-4  # share of a colour that was seen nowhere: then it is not the object's
_COLOUR = re.compile(r"#([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2})")
_SHADES = np.linspace(0.35, 1.25, 19)  # sides of a thing in less and more light than the colour that was named


@dataclass(frozen=True, eq=False)
class Appearance:
    """Colours of one object against what surrounds it."""

    inside: NDArray[np.float64]
    """(16, 16, 16): shares of the object's pixels."""
    outside: NDArray[np.float64]
    """(16, 16, 16): shares of all other pixels."""
    area: float
    """Pixels that the object covers; 0 when that is not known."""

    def likeness(self, image: Image) -> Shares:
        """Likelihood by colour that each pixel belongs to the object."""
        level = image.astype(np.int64) * _LEVELS // 256
        inside = self.inside[level[..., 0], level[..., 1], level[..., 2]]
        outside = self.outside[level[..., 0], level[..., 1], level[..., 2]]
        return (inside / (inside + outside + _PRIOR)).astype(np.float32)

    def find(self, image: Image) -> list[tuple[Mask, float]]:
        """Areas that look like the object, the likeliest first, with how well each fits: 0..1."""
        likeness = self.likeness(image)
        found = pieces(likeness > 0.5)[:_MOST_PIECES]
        usual = self.area or float(np.count_nonzero(found[0]) if found else 1)
        fits = [(area, _fit(area, likeness, usual)) for area in found]
        return sorted(fits, key=lambda pair: pair[1], reverse=True)


_MOST_PIECES = 20


def _fit(area: Mask, likeness: Shares, usual: float) -> float:
    """Colour and size together: half or twice the usual size costs as much as half the likeness."""
    count = np.count_nonzero(area)
    return float(likeness[area].mean()) * min(count / usual, usual / count)


def learnt(images: Images, masks: Sequence[Mask]) -> Appearance:
    """The appearance of what the masks show; pixels at the edge are of mixed colour and count for neither."""
    inside, outside, areas = [np.zeros((0, 3))], [np.zeros((0, 3))], []
    for image, mask in zip(images, masks, strict=True):
        core = grown(mask, -1)
        inside.append(image[core if core.any() else mask])
        outside.append(image[~grown(mask, 1)])
        areas.append(np.count_nonzero(mask))
    return Appearance(_shares(np.concatenate(inside)), _shares(np.concatenate(outside)), float(np.median(areas)))


def of_colour(text: str, images: Images) -> Appearance:
    """The appearance of a thing of a colour such as `#c02020`, in whatever light, among all that the images show."""
    match = _COLOUR.fullmatch(text)
    if match is None:
        raise GlamError(f"colour {text!r}: write it as #RRGGBB, such as #c02020")
    named = np.array([int(part, 16) for part in match.groups()])
    shades = (_SHADES[:, None] * named).clip(0, 255)
    return Appearance(_shares(shades), 0.5 * _shares(images.reshape(-1, 3)), 0.0)


def _shares(colours: NDArray[np.generic]) -> NDArray[np.float64]:
    """A histogram, each colour spread a little over its neighbours: a frame later, the light is another."""
    counts, _ = np.histogramdd(colours.astype(np.float64), bins=_LEVELS, range=[(0, 256)] * 3)
    for axis in range(3):
        padded = np.pad(counts, [(1, 1) if axis == other else (0, 0) for other in range(3)])
        before, after = (np.take(padded, range(shift, shift + _LEVELS), axis) for shift in (0, 2))
        counts = 0.5 * counts + 0.25 * (before + after)
    return counts / max(counts.sum(), 1e-12)
