"""Frames in which the tracker was lost: short gaps are bridged, longer ones split an episode or drop it.

What a recorder stores there is no pose, usually the last one held. In a short gap the pose is interpolated between its
neighbours. In a longer one the motion is unknown: what lies before and after it are episodes of their own.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.interop.imports.recordings import FrameSequence, Motion
from glam.interop.imports.resampling import LONGEST_GAP, motion_at

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class LostFrames:
    """Treatment of frames in which the tracker was lost."""

    treatment: Literal["split", "drop", "keep"] = "split"
    """split: an episode becomes several; drop: it is left out; keep: frames stay as recorded."""
    gap: float = 0.2
    """Longest gap in seconds that is bridged."""
    shortest: float = 1.0
    """Shortest piece in seconds that is kept of an episode that was split."""

    def __post_init__(self) -> None:
        """Refuse gaps in which too much may happen."""
        if not 0.0 <= self.gap <= LONGEST_GAP:
            raise GlamError(f"--lost-gap {self.gap:g}: must lie between 0 and {LONGEST_GAP:g} seconds")


@dataclass(frozen=True, eq=False)
class Piece:
    """An episode, or a part of it between two gaps."""

    first: int
    last: int
    motion: Motion

    def shown(self, frames: FrameSequence) -> FrameSequence:
        """Its frames among those of the whole episode."""
        times = frames.times[self.first : self.last + 1]
        return replace(frames, times=times, pieces=lambda a, b: frames.pieces(self.first + a, self.first + b))


def pieces(motion: Motion, lost: Flags, wanted: LostFrames) -> tuple[Piece, ...]:
    """The parts of an episode in which the tracker knew the pose; none of one that is left out."""
    whole = Piece(0, len(lost) - 1, motion)
    if wanted.treatment == "keep" or not lost.any():
        return (whole,)
    step = float(np.median(np.diff(motion.times)))
    gaps = [(first, last) for first, last in runs(lost) if _is_bridged(first, last, len(lost), step, wanted)]
    bridged = np.zeros_like(lost)
    for first, last in gaps:
        bridged[first : last + 1] = True
    known = ~lost | bridged
    if wanted.treatment == "drop" and not known.all():
        return ()
    filled = _filled(motion, lost) if (~lost).sum() > 1 else motion
    found = [Piece(first, last, _part(filled, first, last)) for first, last in runs(known)]
    least = 0.0 if len(found) == 1 and known.all() else wanted.shortest
    return tuple(piece for piece in found if (piece.last - piece.first) * step >= max(least, step) - 1e-6)


def runs(flags: Flags) -> Iterator[tuple[int, int]]:
    """First and last index of each stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    yield from ((int(first), int(end) - 1) for first, end in edges.reshape(-1, 2))


def _is_bridged(first: int, last: int, count: int, step: float, wanted: LostFrames) -> bool:
    """True for a short gap with known poses on both sides."""
    return first > 0 and last < count - 1 and (last - first + 1) * step <= wanted.gap + 1e-6


def _filled(motion: Motion, lost: Flags) -> Motion:
    """The motion with poses between the known ones where they are lost."""
    known = ~lost
    reduced = Motion(**{name: values[known] for name, values in vars(motion).items()})
    between = motion_at(reduced, motion.times)
    return replace(motion, positions=between.positions, quaternions=between.quaternions)


def _part(motion: Motion, first: int, last: int) -> Motion:
    return Motion(**{name: values[first : last + 1] for name, values in vars(motion).items()})
