"""Fingertips found in an episode without clicks, by their look in one that has them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.interop.trackers.background import without_background
from glam.interop.trackers.fingertips import TrackerConfig
from glam.interop.trackers.flow import Floats, pyramid, sampled, similarity, window

_EVERY = 3
"""Every so many frames are searched, from the clicked frame's number on and then from the beginning."""
_STRETCH = 6.0
"""Pixels by which the fingertips may lie otherwise to each other than where they were clicked."""
_BEST = 30
"""Places of the left tip that are tried with those of the right one."""


@dataclass(frozen=True, eq=False)
class Known:
    """Look of both fingertips where they were clicked."""

    frame: int
    patches: Floats
    """(2, W, W, C)."""
    offset: Floats
    """(2,) from the left one to the right one."""


def known(images: NDArray[np.uint8], frame: int, places: Floats, config: TrackerConfig) -> Known:
    """Learn from clicks (2, 2) in one frame of an episode."""
    image = pyramid(without_background(images)[frame], 1)[0].image
    return Known(frame, sampled(image, window(places, config.flow.window)), places[1] - places[0])


def located(images: NDArray[np.uint8], looks: Sequence[Known], config: TrackerConfig) -> tuple[int, Floats] | None:
    """A frame in which both fingertips show, and their places (2, 2); None if there is none."""
    film = without_background(images)
    starts = dict.fromkeys(min(look.frame, len(images) - 1) for look in looks)
    best_score, best = 0.0, None
    for frame in dict.fromkeys((*starts, *range(0, len(images), _EVERY))):
        image = pyramid(film[frame], 1)[0].image
        for look in looks:
            score, places = _pair(image, look, config)
            if score > best_score:
                best_score, best = score, (frame, places)
        if best_score >= config.sure:
            return best
    return best if best_score >= config.alike else None


def _pair(image: Floats, look: Known, config: TrackerConfig) -> tuple[float, Floats]:
    """The best pair of places in an image, and the lower of its two scores."""
    height, width = image.shape[:2]
    spots = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 2).astype(np.float64)
    shown = sampled(image, window(spots, config.flow.window))
    left, right = (similarity(shown, np.broadcast_to(patch, shown.shape)) for patch in look.patches)
    best, places = -1.0, spots[:2]
    for place in np.argsort(left)[::-1][:_BEST]:
        is_near = np.linalg.norm(spots - spots[place] - look.offset, axis=-1) < _STRETCH
        if is_near.any():
            other = np.flatnonzero(is_near)[right[is_near].argmax()]
            score = float(min(left[place], right[other]))
            if score > best:
                best, places = score, spots[[place, other]]
    return best, places
