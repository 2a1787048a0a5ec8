"""Films with the tracked fingertips drawn into them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from glam.data.reader import Dataset
from glam.data.schema import IMAGE_PREFIX, Schema
from glam.data.tracks import EE_TRACKS, FINGERS, points_of
from glam.reports.films import Frames, encode_film, enlarged, tiled

_COLOURS = ((255, 220, 0), (0, 230, 255))
"""Of the left and of the right finger."""
FINGER_WORDS = "left fingertip yellow, right one light blue, dim where it is not seen"
_DIM = 0.45
_ARM = 3
"""Pixels of a cross to each side of its centre."""
_TILE = 256


def with_tracks(images: Frames, tracks: NDArray[np.float32], schema: Schema, camera: str) -> Frames:
    """Images (T, Y, X, 3) of one camera with a cross at every fingertip; `tracks` are those of all cameras."""
    drawn = images.copy()
    places, seen = points_of(tracks)
    cameras, height, width = schema.track_cameras, *images.shape[1:3]
    for arm in range(len(schema.arms)):
        first = (arm * len(cameras) + cameras.index(camera)) * len(FINGERS)
        for finger, colour in enumerate(_COLOURS):
            spots = np.floor(places[:, first + finger] * [width, height]).astype(int)
            for image, spot, is_seen in zip(drawn, spots, seen[:, first + finger], strict=True):
                _cross(image, spot, np.array(colour) * (1.0 if is_seen else _DIM))
    return drawn


def track_film(dataset: Dataset, episodes: Sequence[int]) -> bytes:
    """mp4 of episodes one after the other, cameras side by side, with their fingertips."""
    schema = dataset.schema
    times = max(1, _TILE // max(schema.image_size))
    shown = []
    for index in episodes:
        tracks = dataset.vectors(index)[EE_TRACKS]
        films = [enlarged(dataset.images(index, IMAGE_PREFIX + camera), times) for camera in schema.track_cameras]
        pairs = zip(films, schema.track_cameras, strict=True)
        shown.append(tiled([[with_tracks(film, tracks, schema, camera) for film, camera in pairs]]))
    frames = np.concatenate(shown)
    height, width = frames.shape[1:3]
    return encode_film(frames[:, : height // 2 * 2, : width // 2 * 2], schema.fps).mp4


def _cross(image: NDArray[np.uint8], spot: NDArray[np.intp], colour: NDArray[np.float64]) -> None:
    x, y = spot
    height, width = image.shape[:2]
    if 0 <= y < height:
        image[y, max(0, x - _ARM) : max(0, x + _ARM + 1)] = colour
    if 0 <= x < width:
        image[max(0, y - _ARM) : max(0, y + _ARM + 1), x] = colour
