"""Changes in a film whose camera stands still, which is everything that is not background."""

import numpy as np
from numpy.typing import NDArray

Images = NDArray[np.uint8]
Floats = NDArray[np.float64]

_MOST = 60
"""Frames that a background is the median of."""
_CHANGED = (10.0, 30.0)
"""Grey levels of difference from the background up to which a pixel belongs to it, and from which on it does not."""
_SHOWN = 0.05
"""Share of the frames of a film in which a pixel has its usual colour, if that is its background."""
_MOVING = 0.6
"""Share of changed pixels from which on the camera itself moves, and there is no background."""


def usual_colours(images: Images) -> Floats:
    """Median of each pixel over frames of one camera, from whichever episodes. (N, Y, X, 3) -> (Y, X, 3)."""
    moments = np.linspace(0, len(images) - 1, min(len(images), _MOST)).round().astype(int)
    return np.asarray(np.median(images[moments], axis=0), np.float64)


def changed(images: Images, usual: Floats) -> Floats:
    """Certainty that each pixel is not background, from 0 to 1; 1 everywhere if the camera moves. (T, Y, X).

    The background of a pixel is its usual colour if the film ever shows it: in a short film a hand may stand still for
    most of the time, and would be the median. Elsewhere, as with a camera that stands otherwise, it is that median.
    """
    low, high = _CHANGED
    difference = _difference(images, usual)
    number = min(len(images) - 1, round(_SHOWN * len(images)))
    is_shown = np.partition(difference, number, axis=0)[number] < low
    difference = np.where(is_shown, difference, _difference(images, usual_colours(images)))
    share = np.clip((difference - low) / (high - low), 0.0, 1.0)
    return np.ones_like(share) if share.mean() > _MOVING else share


def _difference(images: Images, background: Floats) -> Floats:
    """Largest difference of the three colours. (T, Y, X)."""
    return np.stack([np.abs(image - background).max(axis=-1) for image in images])


def shrunk(images: Images, times: int) -> Images:
    """Images whose sides are `times` shorter, by averaging; what is left over at the edges is dropped."""
    count, height, width = images.shape[:3]
    rows, columns = height // times, width // times
    blocks = images[:, : rows * times, : columns * times].reshape(count, rows, times, columns, times, 3)
    return blocks.mean(axis=(2, 4)).round().astype(np.uint8) if times > 1 else images
