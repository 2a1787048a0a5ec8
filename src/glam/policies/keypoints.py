"""Where objects are in the pictures, from their masks: the lesson for a policy's eyes.

What is seen of an object that another one hides in part lies to one side of it. A hand that approaches hides the near
side first, so eyes that learn where the visible part is see the object too far ahead, and the hand overshoots. So an
object whose visible part lies within what was seen of it before has not moved: it is where it was then.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from glam.data.windows import EpisodeTable

Floats = NDArray[np.float32]
Lesson = Literal["whole", "visible"]
"""Where an object that is hidden in part is said to be: where all of it is, or where its visible part is."""
_LEAST_SEEN = 4.0
"""Pixels of an object that must be seen before anything is known of its place."""
_INSIDE = 0.9
"""Share of the visible part that lies where the object was, if it has not moved."""


def keypoints(masks: NDArray[np.uint8], episodes: EpisodeTable, lesson: Lesson) -> tuple[Floats, Floats]:
    """Places of all objects in one view, and whether they are known. (N, Y, X, C) -> (N, 2 C) each, x then y."""
    places, is_known = mask_centroids(masks)
    if lesson == "visible":
        return places, is_known
    objects = masks.shape[-1]
    for start, length in zip(episodes.starts, episodes.lengths, strict=True):
        rows = slice(start, start + length)
        for number in range(objects):
            columns = [number, objects + number]
            seen = masks[rows, :, :, number].reshape(length, -1)
            source = whereabouts(seen, is_known[rows, number] > 0)
            places[rows, columns[0]], places[rows, columns[1]] = places[rows][:, columns][source].T
            is_known[rows, columns[0]] = is_known[rows, columns[1]] = source >= 0
    return places, is_known


def whereabouts(seen: NDArray[np.uint8], is_seen: NDArray[np.bool_]) -> NDArray[np.intp]:
    """For each frame the one that shows best where the object is in it; -1 where nothing tells. (T, P) -> (T,)."""
    found = np.full(len(seen), -1)
    areas = seen.sum(1, dtype=np.int64)
    best, hidden_since = -1, 0
    for frame in np.flatnonzero(is_seen).tolist():
        has_moved = best < 0 or seen[frame][seen[best] > 0].sum(dtype=np.int64) < _INSIDE * areas[frame]
        if not has_moved:
            found[hidden_since:frame] = best  # where it was before it was hidden, and is again
        if has_moved or areas[frame] > areas[best]:
            best = frame
        found[frame], hidden_since = best, frame + 1
    return found


def mask_centroids(masks: NDArray[np.uint8]) -> tuple[Floats, Floats]:
    """Centroid (x, y) of each channel in -1..1 of the picture, and whether enough of it is seen. (N, Y, X, C)."""
    height, width = masks.shape[1:3]
    across = np.linspace(-1.0, 1.0, width, dtype=np.float32)
    down = np.linspace(-1.0, 1.0, height, dtype=np.float32)
    columns = masks.sum(1, dtype=np.float32) / 255.0  # (N, X, C)
    lines = masks.sum(2, dtype=np.float32) / 255.0  # (N, Y, C)
    area = columns.sum(1)  # (N, C)
    safe = np.maximum(area, 1e-6)
    x, y = np.einsum("nxc,x->nc", columns, across) / safe, np.einsum("nyc,y->nc", lines, down) / safe
    is_seen = (area >= _LEAST_SEEN).astype(np.float32)
    return np.concatenate([x, y], axis=1).astype(np.float32), np.concatenate([is_seen, is_seen], axis=1)
