"""A film without its background, which stands still: edges behind a finger would hold its point back."""

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

Images = NDArray[np.uint8]

_MOST = 60
"""Frames that the background is the median of."""
_CHANGED = (12.0, 36.0)
"""Grey levels of difference from the background up to which a pixel belongs to it, and from which on it does not."""
_MOVING = 0.6
"""Share of changed pixels from which on the camera itself moves, and there is no background."""
_GREY = 128.0


def without_background(images: Images) -> NDArray[np.float64]:
    """The film with grey where nothing moves; as it is if the camera moves. (T, Y, X, 3)."""
    moments = np.linspace(0, len(images) - 1, min(len(images), _MOST)).round().astype(int)
    background = np.median(images[moments], axis=0)
    film = images.astype(np.float64)
    difference = np.abs(film - background).max(axis=-1)
    low, high = _CHANGED
    share = np.clip(
        (ndimage.uniform_filter(difference, (0, 3, 3)) + difference - 2 * low) / (2 * (high - low)), 0.0, 1.0
    )
    if share.mean() > _MOVING:
        return film
    return _GREY + share[..., None] * (film - _GREY)
