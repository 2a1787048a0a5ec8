"""Fingertip tracks of one episode: inside the image, seen at all, and each finger its own."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from glam.data.check.data_files import EpisodeSlice
from glam.data.check.finding import Finding, more
from glam.data.tracks import FINGERS, PER_POINT

Array = NDArray[np.float64]

_NEAR = 0.02
"""Distance of two tips, in units of the image, below which nobody can tell whether they changed places."""
_CLEARLY = 2.0
"""Times by which a step must be shorter with the fingers swapped."""


def check_tracks(rows: EpisodeSlice, tracks: Array, names: Sequence[str]) -> Iterator[Finding]:
    """Check the tracks (T, 3 P) of one episode, whose entries have these names."""
    points = tracks.reshape(len(tracks), -1, PER_POINT)
    titles = [name.rpartition(".")[0] for name in names[::PER_POINT]]
    visible, places = points[..., 2], points[..., :2]
    seen = visible == 1.0
    for point, title in enumerate(titles):
        flags = visible[:, point]
        yield from _at(rows, "track-visible", ~np.isin(flags, (0.0, 1.0)), f"{title}.visible is neither 0 nor 1")
        outside = seen[:, point] & ~((places[:, point] >= 0.0) & (places[:, point] <= 1.0)).all(-1)
        yield from _at(rows, "track-outside", outside, f"{title} is seen outside the image")
    count = len(FINGERS)
    for first in range(0, len(titles), count):
        pair = slice(first, first + count)
        title = titles[first].rpartition(".")[0]
        if not seen[:, pair].any():
            yield rows.finding("track-hidden", f"both fingers of {title} are hidden in every frame")
        else:
            swapped = _swapped(places[:, pair], seen[:, pair])
            yield from _at(rows, "track-swapped", swapped, f"the fingers of {title} change places between two frames")


def _swapped(places: Array, seen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Frames in which each finger is where the other one was before. (T, 2, 2), (T, 2) -> (T,)."""
    is_whole = seen[1:].all(1) & seen[:-1].all(1)
    stay = np.linalg.norm(places[1:] - places[:-1], axis=-1).sum(1)
    cross = np.linalg.norm(places[1:] - places[:-1, ::-1], axis=-1).sum(1)
    apart = np.minimum(*(np.linalg.norm(part[:, 0] - part[:, 1], axis=-1) for part in (places[1:], places[:-1])))
    return np.concatenate([[False], is_whole & (apart > _NEAR) & (_CLEARLY * cross < stay)])


def _at(rows: EpisodeSlice, code: str, wrong: NDArray[np.bool_], problem: str) -> Iterator[Finding]:
    frames = np.flatnonzero(wrong)
    if len(frames):
        yield rows.finding(code, problem + more(len(frames)), int(frames[0]))
