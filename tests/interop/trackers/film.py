"""A film of two fingers that move before a background with edges, and where their tips are."""

import numpy as np

SIZE = (96, 128)
LENGTH = 25


def film(seed=0, start=(30.0, 20.0), hidden=range(0)):
    """Images (T, Y, X, 3) and tips (T, 2, 2) in pixels; a wall is before the right tip in the frames `hidden`."""
    rng = np.random.default_rng(seed)
    height, width = SIZE
    y, x = np.mgrid[0:height, 0:width].astype(float)
    background = np.where((y > 40)[..., None], (190.0, 180.0, 170.0), (90.0, 95.0, 105.0))
    images, tips = [], []
    for frame in range(LENGTH):
        left = np.add(start, (2.2 * frame, 1.5 * frame + 3.0 * np.sin(0.3 * frame)))
        right = np.add(left, (18.0 - 0.2 * frame, 2.0))
        image = background.copy()
        for tip in (left, right):
            image = _drawn(image, x, y, tip)
        if frame in hidden:
            image[:, int(right[0]) - 6 : int(right[0]) + 7] = (200.0, 40.0, 40.0)
        images.append(image + rng.normal(0.0, 1.5, image.shape))
        tips.append([left, right])
    return np.clip(images, 0, 255).round().astype(np.uint8), np.array(tips)


def _drawn(image, x, y, tip):
    """A bar that hangs down to its tip, with a bright end."""
    inside = np.clip(3.5 - np.abs(x - tip[0]), 0.0, 1.0) * np.clip(tip[1] + 0.5 - y, 0.0, 1.0)
    end = np.clip(y - tip[1] + 5.5, 0.0, 1.0)[..., None]
    colour = (1.0 - end) * np.array([240.0, 140.0, 30.0]) + end * np.array([250.0, 220.0, 160.0])
    return image + inside[..., None] * (colour - image)
