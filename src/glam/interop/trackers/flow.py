"""Motion of a few points from one image to another: pyramidal Lucas-Kanade, in colour.

Places are (x, y) in pixels, (0, 0) is the middle of the first pixel.

Dimension key: P points, Y x X pixels, C colours, W x W window.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

Floats = NDArray[np.float64]
Image = NDArray[np.float64]
"""(Y, X, C)."""

_BINOMIAL = np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16.0


@dataclass(frozen=True)
class OpticalFlowConfig:
    """Settings of the search."""

    window: int = 9
    """Side W of the patch around a point, odd."""
    levels: int = 3
    """Images of the pyramid; each has half the size of the one before."""
    iterations: int = 12
    enough: float = 0.01
    """Pixels; a smaller step ends the search."""


DEFAULT_FLOW = OpticalFlowConfig()


class Level(NamedTuple):
    """One image of a pyramid with its gradients."""

    image: Image
    across: Image
    down: Image


Pyramid = tuple[Level, ...]


def pyramid(image: Image, levels: int) -> Pyramid:
    """The image in several sizes, the largest first; fewer where it becomes too small."""
    found, current = [], image
    for _ in range(levels):
        smooth = _filtered(current, np.array([0.25, 0.5, 0.25]))
        found.append(Level(smooth, np.gradient(smooth, axis=1), np.gradient(smooth, axis=0)))
        current = _filtered(current, _BINOMIAL)[::2, ::2]
        if min(current.shape[:2]) < 16:
            break
    return tuple(found)


def sampled(image: Image, places: Floats) -> Floats:
    """Bilinear values at places (..., 2), edges repeated. (..., C)."""
    height, width = image.shape[:2]
    x = np.clip(places[..., 0], 0.0, width - 1.0)
    y = np.clip(places[..., 1], 0.0, height - 1.0)
    left, upper = np.minimum(x.astype(int), width - 2), np.minimum(y.astype(int), height - 2)
    a, b = (x - left)[..., None], (y - upper)[..., None]
    above = (1.0 - a) * image[upper, left] + a * image[upper, left + 1]
    below = (1.0 - a) * image[upper + 1, left] + a * image[upper + 1, left + 1]
    values: Floats = (1.0 - b) * above + b * below
    return values


def window(places: Floats, side: int) -> Floats:
    """Places of the pixels of a patch around each point. (P, 2) -> (P, W, W, 2)."""
    reach = np.arange(side) - side // 2
    offsets = np.stack(np.meshgrid(reach, reach, indexing="xy"), axis=-1)
    return places[:, None, None, :] + offsets


def followed(
    before: Pyramid, after: Pyramid, places: Floats, config: OpticalFlowConfig, guess: Floats | None = None
) -> Floats:
    """Places in another image of the points (P, 2) of one; they are looked for from `guess` on."""
    motion = (guess if guess is not None else places) - places
    for number in reversed(range(len(before))):
        share = 0.5**number
        motion = _step(before[number], after[number], share * places, share * motion, config) / share
    found: Floats = places + motion
    return found


def _step(before: Level, after: Level, places: Floats, motion: Floats, config: OpticalFlowConfig) -> Floats:
    """The same on one level."""
    around = window(places, config.window)
    patch, gx, gy = (sampled(image, around) for image in before)
    weight = _taper(config.window)[None, :, :, None]
    xx, xy, yy = (np.sum(weight * part, axis=(1, 2, 3)) for part in (gx * gx, gx * gy, gy * gy))
    ridge = 1e-3 * (xx + yy) + 1e-6
    determinant = (xx + ridge) * (yy + ridge) - xy * xy
    for _ in range(config.iterations):
        error = weight * (patch - sampled(after.image, around + motion[:, None, None, :]))
        ex, ey = np.sum(error * gx, axis=(1, 2, 3)), np.sum(error * gy, axis=(1, 2, 3))
        step = np.stack([(yy + ridge) * ex - xy * ey, (xx + ridge) * ey - xy * ex], axis=-1) / determinant[:, None]
        length = np.linalg.norm(step, axis=-1, keepdims=True)
        step *= np.minimum(1.0, 2.0 / np.maximum(length, 1e-9))  # a longer one leaves the patch
        motion = motion + step
        if length.max(initial=0.0) < config.enough:
            break
    return motion


def similarity(first: Floats, second: Floats) -> Floats:
    """Normalized correlation of patches (P, W, W, C), each colour about its own mean. (P,) in -1..1."""
    a, b = (part - part.mean(axis=(1, 2), keepdims=True) for part in (first, second))
    norm = np.sqrt((a * a).sum(axis=(1, 2, 3)) * (b * b).sum(axis=(1, 2, 3)))
    found: Floats = (a * b).sum(axis=(1, 2, 3)) / np.maximum(norm, 1e-6)
    return found


def _taper(side: int) -> Floats:
    """Weights of a patch, which fall towards its edge: the background there moves otherwise."""
    reach = (np.arange(side) - side // 2) / (side / 2)
    return np.exp(-1.5 * (reach[:, None] ** 2 + reach[None, :] ** 2))


def _filtered(image: Image, weights: Floats) -> Image:
    down = ndimage.correlate1d(image, weights, axis=0, mode="nearest")
    across: Image = ndimage.correlate1d(down, weights, axis=1, mode="nearest")
    return across
