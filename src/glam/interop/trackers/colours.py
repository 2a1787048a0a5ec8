"""Colours of a finger: whichever light falls on it, a colour keeps its direction from black.

Dimension key: N pixels, K colours.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.interop.trackers.background import Floats, Images

_KINDS = 3
"""Colours of one finger: its sides are lit otherwise."""
_ROUNDS = 10
_DIRECTION = 14.0
"""Standard deviation of a colour beside its direction, in grey levels."""
_BRIGHTNESS = 0.25
"""Logarithm of the brightness up to which a colour is the same, and from there on the standard deviation."""
_DARKEST = 0.05


@dataclass(frozen=True, eq=False)
class FingerColours:
    """Colours of the pixels around clicked fingertips."""

    means: Floats
    """(K, 3)."""

    def likeness(self, images: Images) -> Floats:
        """Likeness of each pixel's colour to that of a finger, from 0 to 1. (..., 3) -> (...)."""
        best = np.zeros(images.shape[:-1])
        for mean in self.means:
            brightness = images @ mean / max(float(mean @ mean), 1.0)
            beside = np.linalg.norm(images - brightness[..., None] * mean, axis=-1) / np.maximum(brightness, 0.3)
            excess = np.maximum(np.abs(np.log(np.maximum(brightness, _DARKEST))) - _BRIGHTNESS, 0.0)
            fits = np.exp(-0.5 * (beside / _DIRECTION) ** 2 - 0.5 * (excess / _BRIGHTNESS) ** 2)
            best = np.maximum(best, fits)
        return best


def colours_of(pixels: Sequence[NDArray[np.uint8]]) -> FingerColours:
    """The colours of pixels (N, 3), by k-means from dark to bright."""
    every = np.concatenate(list(pixels)).astype(np.float64)
    order = np.argsort(every.sum(axis=1))
    middles = np.linspace(0, len(every) - 1, 2 * _KINDS + 1).astype(int)[1::2]
    means: Floats = every[order[middles]]
    for _ in range(_ROUNDS):
        nearest = ((every[:, None] - means) ** 2).sum(axis=-1).argmin(axis=1)
        means = np.stack([every[nearest == k].mean(0) if (nearest == k).any() else means[k] for k in range(_KINDS)])
    return FingerColours(means)
