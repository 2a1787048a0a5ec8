"""Fingertip tracks of a recording: places in units of the image, and whether each point is seen.

Dimension key: T samples, N new frames, P points in the order of arms, cameras, fingers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.data.tracks import Seen, tracks_of

Array = NDArray[np.float64]

_LARGEST_UNIT = 1.5
"""Numbers beyond it are pixels: nobody clicks half an image away from it."""
_MOST_OUTSIDE = 0.5
"""Share of the seen points outside their images from which on the numbers mean something else."""


@dataclass(frozen=True, eq=False)
class PointTracks:
    """Points of one episode."""

    times: Array
    """(T,) seconds by the clock of the motion, increasing."""
    places: Array
    """(T, P, 2)."""
    seen: Seen
    """(T, P)."""

    def part(self, first: int, last: int) -> "PointTracks":
        """The samples from `first` to `last`, both included."""
        rows = slice(first, last + 1)
        return PointTracks(self.times[rows], self.places[rows], self.seen[rows])

    def at(self, times: Array) -> NDArray[np.float32]:
        """`observation.ee_tracks`, (N, 3 P), at new times; between samples of which one is hidden, the nearer one."""
        samples = self.times
        before = np.clip(np.searchsorted(samples, times, side="right") - 1, 0, len(samples) - 2)
        part = np.clip((times - samples[before]) / (samples[before + 1] - samples[before]), 0.0, 1.0)
        nearer = np.where(part < 0.5, before, before + 1)
        both = (self.seen[before] & self.seen[before + 1])[..., None]
        weight = part[:, None, None]
        between = (1.0 - weight) * self.places[before] + weight * self.places[before + 1]
        return tracks_of(np.where(both, between, self.places[nearer]), self.seen[nearer])


@dataclass(frozen=True)
class Told:
    """Sentences about tracks that were read."""

    unit: str
    outside: int
    """Seen points that lie outside their images, and count as hidden."""
    seen: int


def read_points(
    times: Sequence[Array], places: Sequence[Array], seen: Sequence[Seen], sizes: Array, where: str
) -> tuple[tuple[PointTracks, ...], Told]:
    """Points of all episodes from numbers in pixels or in units of the image; `sizes` (P, 2) are width and height.

    Which of both they are is told by the largest number of all episodes.
    """
    every = np.concatenate([part[flags] for part, flags in zip(places, seen, strict=True)])
    if not len(every):
        raise GlamError(f"{where}: every fingertip is hidden in all frames; leave the tracks out, or track again")
    in_pixels = bool(np.abs(every).max() > _LARGEST_UNIT)
    scaled = [np.divide(part, sizes) if in_pixels else part for part in places]
    inside = [((part >= 0.0) & (part <= 1.0)).all(-1) for part in scaled]
    outside = sum(int((flags & ~within).sum()) for flags, within in zip(seen, inside, strict=True))
    unit = "pixels" if in_pixels else "units of the image"
    if outside > _MOST_OUTSIDE * len(every):
        problem = f"{outside} of {len(every)} points lie outside their images, read as {unit}"
        raise GlamError(f"{where}: {problem}; u and v are pixels of the recorded images, or from 0 to 1 across them")
    shown = [flags & within for flags, within in zip(seen, inside, strict=True)]
    made = tuple(PointTracks(*parts) for parts in zip(times, scaled, shown, strict=True))
    return made, Told(unit, outside, len(every))
