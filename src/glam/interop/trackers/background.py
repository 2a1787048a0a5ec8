"""Changes in a film whose camera stands still: the background is the median of its frames."""

import numpy as np
from numpy.typing import NDArray

Images = NDArray[np.uint8]
Floats = NDArray[np.float64]

_MOST = 60
"""Frames that the background is the median of."""
_CHANGED = (10.0, 30.0)
"""Grey levels of difference from the background up to which a pixel belongs to it, and from which on it does not."""
_MOVING = 0.6
"""Share of changed pixels from which on the camera itself moves, and there is no background."""


def changed(images: Images) -> Floats:
    """Certainty that each pixel is not background, from 0 to 1; 1 everywhere if the camera moves. (T, Y, X)."""
    moments = np.linspace(0, len(images) - 1, min(len(images), _MOST)).round().astype(int)
    background = np.median(images[moments], axis=0)
    difference = np.stack([np.abs(image - background).max(axis=-1) for image in images])
    low, high = _CHANGED
    share = np.clip((difference - low) / (high - low), 0.0, 1.0)
    return np.ones_like(share) if share.mean() > _MOVING else share


def shrunk(images: Images, times: int) -> Images:
    """Images whose sides are `times` shorter, by averaging; what is left over at the edges is dropped."""
    count, height, width = images.shape[:3]
    rows, columns = height // times, width // times
    blocks = images[:, : rows * times, : columns * times].reshape(count, rows, times, columns, times, 3)
    return blocks.mean(axis=(2, 4)).round().astype(np.uint8) if times > 1 else images
