"""Resampling of motions to another frame rate."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.interop.imports.recordings import Array, FrameSequence, Motion, Track
from glam_client.orientations import slerp

SAME_RATE = 0.005
"""Rates that differ by no more are one: 59.94 Hz is 60."""
LONGEST_GAP = 0.5
"""Seconds without a pose or image that may be bridged."""
_LARGEST_RADIANS = 4.0 * np.pi
"""Two turns; a joint with larger readings is in degrees, or in a unit in which half a turn is at least 180."""
_HAIR = 1e-6
"""Of a step; more than rounding does to a time."""


@dataclass(frozen=True)
class Pace:
    """Conversion of time in the source to time in the dataset."""

    rate: int
    """Frames per second of the dataset."""
    stretch: float
    """Seconds of the dataset per second of the source; 1 unless their rates are taken for one."""


def pace(source_rate: float, wanted: int | None) -> Pace:
    """Keep the samples as they are if the rates are the same; without `wanted`, the source must have a whole rate."""
    rate = wanted if wanted is not None else round(source_rate)
    if rate >= 1 and abs(rate - source_rate) <= SAME_RATE * source_rate:
        return Pace(rate, source_rate / rate)
    if wanted is None:
        raise GlamError(f"recorded at {source_rate:g} Hz, which is no whole number; choose one with --rate")
    if not 1 <= rate <= 1000:
        raise GlamError(f"--rate {rate} must lie between 1 and 1000")
    return Pace(rate, 1.0)


def moments(track: Track, at: Pace) -> Array:
    """Times of the new frames, in seconds of the source, where poses and all cameras have samples. (N,)."""
    _require_covered(track)
    every = [track.motion.times, *(frames.times for frames in track.images.values())]
    first, last = max(times[0] for times in every), min(times[-1] for times in every)
    step = 1.0 / (at.rate * at.stretch)
    count = int(np.floor((last - first) / step + _HAIR)) + 1
    if count < 2:
        raise GlamError(f"{track.name}: lasts less than two frames at {at.rate} Hz")
    return first + np.arange(count) * step


def motion_at(motion: Motion, times: Array, summed: tuple[int, ...] = ()) -> Motion:
    """Poses, grippers and states between those recorded; of actions the last one given before the step ends.

    Of the entries `summed`, which are deltas, an action is the sum of what was given during its step. At the
    moments of the recording itself everything is as recorded.
    """
    before = np.clip(np.searchsorted(motion.times, times, side="right") - 1, 0, len(motion.times) - 2)
    span = motion.times[before + 1] - motion.times[before]
    part = np.clip((times - motion.times[before]) / span, 0.0, 1.0)
    part = np.where(part < _HAIR, 0.0, np.where(part > 1.0 - _HAIR, 1.0, part))
    step = times[1] - times[0]
    given = np.searchsorted(motion.times, times + (1.0 - 1e-3) * step, side="left") - 1

    def between(values: Array) -> Array:
        weight = part.reshape(-1, *[1] * (values.ndim - 1))
        return values[before] * (1.0 - weight) + values[before + 1] * weight

    weights = np.broadcast_to(part[:, None], motion.openings[before].shape)
    closest = np.where(part < 0.5, before, before + 1)
    action = motion.action[np.clip(given, 0, None)]
    if summed:
        action[:, list(summed)] = _sums(motion, times, step)[:, list(summed)]
    return Motion(
        times=times,
        positions=between(motion.positions),
        quaternions=slerp(motion.quaternions[before], motion.quaternions[before + 1], weights),
        openings=between(motion.openings),
        state=np.where(_jumps(motion.state, before), motion.state[closest], between(motion.state)),
        action=action,
    )


def _jumps(state: Array, before: NDArray[np.intp]) -> NDArray[np.bool_]:
    """True where an entry jumps by half a turn or more between two samples: an angle that was wrapped. (N, n).

    What lies between would be a place where the joint never was.
    """
    largest = np.abs(state).max(axis=0, initial=0.0)
    half_turn = np.where(largest <= _LARGEST_RADIANS, np.pi, 180.0)
    return np.abs(state[before + 1] - state[before]) >= half_turn


def _sums(motion: Motion, times: Array, step: float) -> Array:
    """Sums of delta actions over a step from each time on, each delta spread evenly over its own step. (N, n)."""
    last = motion.times[-1] + float(np.median(np.diff(motion.times)))
    knots, sums = np.append(motion.times, last), np.cumsum(np.vstack([0.0 * motion.action[:1], motion.action]), axis=0)
    columns = [np.interp(times + step, knots, column) - np.interp(times, knots, column) for column in sums.T]
    return np.stack(columns, axis=1)


def nearest(frames: FrameSequence, times: Array) -> NDArray[np.intp]:
    """Numbers of the frames nearest to some times, which never go back."""
    middles = (frames.times[1:] + frames.times[:-1]) / 2.0
    return np.searchsorted(middles, times, side="left")


def _require_covered(track: Track) -> None:
    """Refuse gaps in poses or images that are too long to interpolate."""
    cameras = {frames.name: frames.times for frames in track.images.values()}
    for name, times in {"poses": track.motion.times, **cameras}.items():
        if len(times) < 2 or not np.isfinite(times).all() or not (np.diff(times) > 0.0).all():
            raise GlamError(f"{track.name}: {name} must have at least two times, which increase")
    start, end = min(times[0] for times in cameras.values()), max(times[-1] for times in cameras.values())
    for name, times in {"poses": track.motion.times, **cameras}.items():
        longest = max(LONGEST_GAP, 2.0 * float(np.median(np.diff(times))))
        edges = np.concatenate([[start], np.clip(times, start, end), [end]])
        for hole in np.flatnonzero(np.diff(edges) > longest):
            gap = f"between {edges[hole]:.2f} s and {edges[hole + 1]:.2f} s"
            raise GlamError(f"{track.name}: {name}: nothing {gap}; record it, or cut the videos to what there is")
