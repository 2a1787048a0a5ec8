"""Places that look like a clicked fingertip, in an image of how finger-like each pixel is.

Only the shape of the finger counts, not what is behind it: table, object and backdrop are all no finger. Places are
(x, y) in pixels, (0, 0) is the middle of the first pixel.

Dimension key: Y x X pixels, K templates, W x W pixels of one, C candidates.
"""

from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from glam.interop.trackers.background import Floats

REACH = 7
"""Pixels of a template to each side of its middle."""
SIDE = 2 * REACH + 1
_SIZES = (0.85, 1.0, 1.2)
_TURNS = np.radians((-24.0, -12.0, 0.0, 12.0, 24.0))
_WIDTH = 4.0
"""Standard deviation of the weights of a template's pixels."""
_FINGER = 0.3
"""Likeness of a pixel next to which a fingertip may lie."""
_NOISE = 1e-3
"""Variance of an image without any shape."""
_LEAST = 0.2
"""Correlation from which on a place is a candidate."""
_MOST = 10
_APART = 2
"""Pixels within which only the best place is a candidate."""

_ACROSS, _DOWN = np.meshgrid(np.arange(-REACH, REACH + 1.0), np.arange(-REACH, REACH + 1.0))
_WEIGHTS = np.exp(-0.5 * (_ACROSS**2 + _DOWN**2) / _WIDTH**2).ravel()
_WEIGHTS /= _WEIGHTS.sum()


class Candidates(NamedTuple):
    """Places where a fingertip may be."""

    places: Floats
    """(C, 2)."""
    scores: Floats
    """(C,) weighted correlation with the template that fits best, at most 1."""


def templates_of(likeness: Floats, place: Floats) -> Floats:
    """The surroundings of a place, in several sizes and turned both ways. (K, W, W)."""
    found = []
    for size in _SIZES:
        for turn in _TURNS:
            across = (np.cos(turn) * _ACROSS - np.sin(turn) * _DOWN) / size
            down = (np.sin(turn) * _ACROSS + np.cos(turn) * _DOWN) / size
            found.append(sampled(likeness, place + np.stack([across, down], axis=-1)))
    return np.stack(found)


def candidates(likeness: Floats, templates: Floats) -> Candidates:
    """The best places in an image, each the best of its surroundings, to a part of a pixel."""
    scores = _scores(likeness, templates)
    around = sliding_window_view(np.pad(scores, _APART, constant_values=-1.0), (2 * _APART + 1, 2 * _APART + 1))
    rows, columns = np.nonzero((scores >= around.max(axis=(-2, -1))) & (scores > _LEAST))
    best = np.argsort(-scores[rows, columns])[:_MOST]
    rows, columns = rows[best], columns[best]
    edged = np.pad(scores, 1, mode="edge")
    middle = scores[rows, columns]
    right = _peak(edged[rows + 1, columns], middle, edged[rows + 1, columns + 2])
    lower = _peak(edged[rows, columns + 1], middle, edged[rows + 2, columns + 1])
    return Candidates(np.stack([columns + right, rows + lower], axis=-1), middle)


def sampled(image: Floats, places: Floats) -> Floats:
    """Bilinear values at places (..., 2), edges repeated. (...)."""
    height, width = image.shape
    x = np.clip(places[..., 0], 0.0, width - 1.0)
    y = np.clip(places[..., 1], 0.0, height - 1.0)
    left, upper = np.minimum(x.astype(int), width - 2), np.minimum(y.astype(int), height - 2)
    a, b = x - left, y - upper
    above = (1.0 - a) * image[upper, left] + a * image[upper, left + 1]
    below = (1.0 - a) * image[upper + 1, left] + a * image[upper + 1, left + 1]
    values: Floats = (1.0 - b) * above + b * below
    return values


def _scores(likeness: Floats, templates: Floats) -> Floats:
    """Weighted correlation of every place near a finger with the best template; -1 elsewhere. (Y, X)."""
    near = sliding_window_view(np.pad(likeness, 1, mode="edge"), (3, 3)).max(axis=(-2, -1)) > _FINGER
    scores = np.full(likeness.shape, -1.0)
    patches = sliding_window_view(np.pad(likeness, REACH, mode="edge"), (SIDE, SIDE))[near].reshape(-1, SIDE * SIDE)
    shapes = templates.reshape(len(templates), -1)
    shapes = shapes - (shapes @ _WEIGHTS)[:, None]
    strength = np.sqrt(np.maximum(shapes**2 @ _WEIGHTS, _NOISE))
    variance = patches**2 @ _WEIGHTS - (patches @ _WEIGHTS) ** 2
    alike = patches @ (shapes * _WEIGHTS).T / strength / np.sqrt(np.maximum(variance, _NOISE))[:, None]
    scores[near] = alike.max(axis=1)
    return scores


def _peak(before: Floats, middle: Floats, after: Floats) -> Floats:
    """Top of the parabola through three values, within half a pixel of the middle one."""
    curve = before - 2.0 * middle + after
    is_peak = (curve < -1e-6) & (before >= -0.5) & (after >= -0.5)  # -1 is no score
    return np.where(is_peak, np.clip(0.5 * (before - after) / np.where(is_peak, curve, -1.0), -0.5, 0.5), 0.0)
