"""First images of a dataset, and whether those of another one are upside down, mirrored or turned."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.data.image_codecs import frames_of
from glam.data.reader import Dataset
from glam.data.schema import IMAGE_PREFIX
from glam_client.resizing import resize

Images = NDArray[np.uint8]
Array = NDArray[np.float64]

_EPISODES = 8
"""Episodes whose first images are averaged, so that the scene counts more than its objects."""
_SIDE = 24
"""Pixels of the averages."""
_ALIKE, _BETTER = 0.4, 0.25
"""Correlation of turned images that is worth a word, and by how much it must exceed that of the images as they are."""

TURNS: Mapping[str, tuple[Callable[[Array], Array], str]] = {
    "upside down": (np.flipud, "vflip"),
    "mirrored": (np.fliplr, "hflip"),
    "turned by 180 degrees": (lambda image: np.rot90(image, 2), "hflip,vflip"),
    "turned by 90 degrees clockwise": (lambda image: np.rot90(image, 1), "transpose=2"),
    "turned by 90 degrees counter-clockwise": (lambda image: np.rot90(image, -1), "transpose=1"),
}
"""What undoes a fault of images: here, and as a filter of FFmpeg."""


@dataclass(frozen=True, eq=False)
class View:
    """Image that one camera shows at the start of episodes."""

    first: Images
    """(Y, X, 3) of the first episode."""
    mean: Array
    """(24, 24, 3): the mean over several episodes."""


def views_of(dataset: Dataset) -> dict[str, View]:
    """First images of each camera."""
    last = len(dataset.episodes) - 1
    chosen = sorted({round(place) for place in np.linspace(0, last, min(last + 1, _EPISODES))})
    found = {}
    for camera in dataset.schema.cameras:
        images = [_first_image(dataset, index, IMAGE_PREFIX + camera) for index in chosen]
        shrunk = [resize(image[None], (_SIDE, _SIDE))[0].astype(np.float64) for image in images]
        found[camera] = View(images[0], np.mean(shrunk, axis=0))
    return found


def fault(target: View, other: View) -> tuple[str, str, float, float] | None:
    """Name of how the other's images are turned, the filter that undoes it, and the correlations after and before."""
    before = _correlation(target.mean, other.mean)
    after = {name: _correlation(target.mean, undo(other.mean)) for name, (undo, _) in TURNS.items()}
    best = max(after, key=lambda name: after[name])
    if after[best] < _ALIKE or after[best] < before + _BETTER:
        return None
    return best, TURNS[best][1], after[best], before


def _first_image(dataset: Dataset, index: int, key: str) -> Images:
    videos = dataset.episodes[index].videos
    if key not in videos:
        return dataset.images(index, key)[0]
    return next(frames_of(videos[key], dataset.schema.fps))


def _correlation(one: Array, two: Array) -> float:
    """Correlation of the colours at the same places, less the mean colour of each image."""
    a, b = (image - image.mean(axis=(0, 1)) for image in (one, two))
    length = float(np.sqrt((a**2).sum() * (b**2).sum()))
    return float((a * b).sum()) / length if length > 1e-9 else 0.0
