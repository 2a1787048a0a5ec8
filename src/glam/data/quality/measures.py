"""Measurements of single episodes, from which their quality is judged: motion of hands and images, a signature.

Frames are read one at a time and forgotten, so a set of any size needs little memory.

Dimension key: T frames of an episode, K hands.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from glam.core.geometry import rotation_from_six
from glam.data.image_codecs import frames_of
from glam.data.reader import Dataset
from glam.data.schema import ACTION, EE_POSE, GRIPPER, POSE_SIZE, STATE, Schema
from glam_client.resizing import resize

Array = NDArray[np.float64]
Images = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Vectors = Mapping[str, NDArray[np.float32]]

_SIDE = 48
"""Pixels to which images are shrunk before they are compared."""
_APART = 0.1
"""Seconds between two images that are compared; from one frame to the next, slow motion changes too little."""
_CHANGED = 12.0
"""Change of brightness, of 255, from which on a pixel counts as moving; video compression changes pixels by less."""
_LOOK = 16
"""Pixels of images in the signature of an episode."""
_DIGITS, _MOVED = 4, 0.002
"""Decimals of numbers in that signature, and least change of a row that counts."""
_TURN = 0.1
"""Metres that a turn by one radian counts as: what lies this far from the tool's axis moves so."""
_STROKE = 0.05
"""Metres that the whole stroke of a gripper counts as."""
_LONGEST_LAG = 1.0
"""Seconds by which images and poses are shifted against each other at most."""
_ACTIVE = 0.25
"""Change of images, as a share of the episode's median while it moves, from which on they count as moving."""
_STILL = 0.002
"""m/s below which a hand rests; a hand at rest trembles by as much."""


@dataclass(frozen=True)
class Stretch:
    """Consecutive steps from one frame to the next; empty if there are none."""

    start: int = 0
    steps: int = 0


@dataclass(frozen=True)
class Jump:
    """The step between two frames that stands out most among those around it."""

    frame: int
    metres: float
    degrees: float
    change: float
    """Least change of velocity before and after it, in m/s per second; a turn counts as `_TURN` m for each radian."""


@dataclass(frozen=True)
class Frozen(Stretch):
    """A stretch in which poses are the same to the last digit."""

    images_move: float = 0.0
    """Share of its steps in which the images move."""
    jump: float = 0.0
    """Metres from the frozen pose to the next."""
    after: float = 0.0
    """Metres of the step after that one."""


@dataclass(frozen=True)
class Lag:
    """Delay of the images behind the poses, by their motions."""

    frames: int
    """At which both agree best."""
    correlations: Array
    """(2 L + 1,): agreement at delays of -L to L frames."""

    def at(self, frames: int) -> float:
        """Agreement at a delay."""
        return float(self.correlations[frames + len(self.correlations) // 2])


@dataclass(frozen=True, eq=False)
class Measures:
    """One episode."""

    episode: int
    frames: int
    rest: Stretch
    """The longest stretch in which nothing moves."""
    rows: frozenset[bytes]
    """Digests of the poses in motion, or where there are none of state and action."""
    look: Images
    """Signature of the images."""
    strokes: tuple[float, ...] = ()
    """Range of each gripper's opening; empty without poses."""
    jumps: tuple[Jump, ...] = ()
    """Of each hand."""
    frozen: tuple[Frozen, ...] = ()
    """The longest one of each hand."""
    standing: Frozen = Frozen()
    """The longest one in which all hands and grippers are frozen."""
    lag: Lag | None = None
    """None where nothing moves enough to tell, or without poses."""


def measure(dataset: Dataset, episode: int) -> Measures:
    """Measure an episode of a dataset."""
    films = {key: _frames(dataset, episode, key) for key in dataset.schema.image_keys}
    return measured(episode, dataset.vectors(episode), films, dataset.schema)


def measured(episode: int, vectors: Vectors, films: Mapping[str, Iterable[Images]], schema: Schema) -> Measures:
    """Measure an episode with these vectors, (T, n) each, and images of each camera, (Y, X, 3) each."""
    apart = max(1, round(_APART * schema.fps))
    moving, look = _images(films, apart)
    poses = vectors[EE_POSE].astype(np.float64) if schema.has_pose else np.zeros((len(moving) + 1, 0))
    hands = [poses[:, start : start + POSE_SIZE] for start in range(0, poses.shape[1], POSE_SIZE)]
    steps = [_steps(hand) for hand in hands]
    speed = np.sum(steps, axis=0) if steps else _change(vectors, len(moving))
    typical = float(np.median(moving[moving > 0.0])) if (moving > 0.0).any() else 1.0
    active = moving > _ACTIVE * typical
    return Measures(
        episode=episode,
        frames=len(moving) + 1,
        rest=_longest((speed * schema.fps < _STILL) & ~active),
        rows=_rows(poses if hands else _values(vectors, len(moving) + 1)),
        look=look,
        strokes=tuple(float(np.ptp(hand[:, GRIPPER])) for hand in hands),
        jumps=tuple(_jump(hand, step, schema.fps) for hand, step in zip(hands, steps, strict=True)),
        frozen=tuple(_frozen(hand[:, :GRIPPER], active) for hand in hands),
        standing=_frozen(poses, active) if hands else Frozen(),
        lag=_lag(_summed(speed, apart), moving, round(_LONGEST_LAG * schema.fps)) if hands else None,
    )


def _images(films: Mapping[str, Iterable[Images]], apart: int) -> tuple[Array, Images]:
    """Share of moving pixels in each step, as the sum over the cameras, (T - 1,); and the signature of the images.

    An image is compared with the one `apart` frames before it.
    """
    total, kept = list[list[float]](), list[Images]()
    for film in films.values():
        moving, few, before = list[float](), list[Images](), deque[NDArray[np.int16]](maxlen=apart)
        for image in film:
            small = resize(image[None], (_SIDE, _SIDE))[0].astype(np.int16)
            if before:
                moving.append(float((np.abs(small - before[0]).max(axis=-1) > _CHANGED).mean()))
            few.append(resize(image[None], (_LOOK, _LOOK))[0])
            before.append(small)
        total.append(moving)
        kept += [few[round(place * (len(few) - 1))] for place in (0.0, 0.5, 1.0)]
    return np.sum(total, axis=0), np.concatenate([image.reshape(-1) for image in kept])


def _frames(dataset: Dataset, episode: int, key: str) -> Iterator[Images]:
    videos = dataset.episodes[episode].videos
    yield from frames_of(videos[key], dataset.schema.fps) if key in videos else dataset.images(episode, key)


def _steps(hand: Array) -> Array:
    """Length of each step in metres, turns and the gripper counted as such. (T, 10) -> (T - 1,)."""
    moved = np.linalg.norm(np.diff(hand[:, :3], axis=0), axis=1)
    return moved + _TURN * _turns(hand) + _STROKE * np.abs(np.diff(hand[:, GRIPPER]))


def _turns(hand: Array) -> Array:
    """Angle of each step in radians. (T, 10) -> (T - 1,)."""
    rotations = rotation_from_six(hand[:, 3:GRIPPER])
    cosines = (np.einsum("tij,tij->t", rotations[1:], rotations[:-1]) - 1.0) / 2.0
    return np.arccos(np.clip(cosines, -1.0, 1.0))


def _jump(hand: Array, steps: Array, fps: int) -> Jump:
    """A real hand needs several frames to get fast and slow again; a tracker that jumps, there and perhaps back, none.

    So a step is compared with those two and three frames before and after it.
    """
    padded = np.concatenate([np.zeros(3), steps, np.zeros(3)])
    around = np.maximum.reduce([padded[:-6], padded[1:-5], padded[5:-1], padded[6:]])
    frame = int((steps - around).argmax())
    metres = float(np.linalg.norm(hand[frame + 1, :3] - hand[frame, :3]))
    change = float(steps[frame] - around[frame]) * fps * fps
    return Jump(frame + 1, metres, float(np.degrees(_turns(hand[frame : frame + 2])[0])), change)


def _frozen(poses: Array, active: Flags) -> Frozen:
    found = _longest((np.diff(poses, axis=0) == 0.0).all(axis=1))
    end = found.start + found.steps
    steps = np.linalg.norm(np.diff(poses[end:, :3], axis=0), axis=1)
    jump, after = (float(steps[number]) if number < len(steps) else 0.0 for number in (0, 1))
    share = float(active[found.start : end].mean()) if found.steps else 0.0
    return Frozen(found.start, found.steps, share, jump, after)


def _longest(flags: Flags) -> Stretch:
    """The longest run of true flags."""
    borders = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    runs = [Stretch(int(start), int(stop - start)) for start, stop in zip(borders[::2], borders[1::2], strict=True)]
    return max(runs, key=lambda run: run.steps, default=Stretch())


def _summed(steps: Array, count: int) -> Array:
    """Sum of each step and those before it, `count` in all."""
    return np.convolve(steps, np.ones(count))[: len(steps)]


def _lag(speed: Array, moving: Array, most: int) -> Lag | None:
    """Correlation of the motions at all delays; square roots, so that the quickest moments do not count alone."""
    if len(speed) < 3 * most:
        return None
    one, two = np.sqrt(speed[most:-most]), np.sqrt(moving)
    parts = [two[most + delay : len(two) - most + delay] for delay in range(-most, most + 1)]
    if np.ptp(one) <= 0.0 or min(np.ptp(part) for part in parts) <= 0.0:
        return None
    found = np.array([np.corrcoef(one, part)[0, 1] for part in parts])
    return Lag(int(found.argmax()) - most, found)


def _values(vectors: Vectors, length: int) -> Array:
    """State and action, (T, n)."""
    parts = [vectors[key].astype(np.float64) for key in (STATE, ACTION) if key in vectors]
    return np.concatenate(parts, axis=1) if parts else np.zeros((length, 0))


def _rows(values: Array) -> frozenset[bytes]:
    """Digests of the rows that differ from the one before: a hand at rest is in the same place in many episodes."""
    rounded = np.round(values, _DIGITS) + 0.0  # no minus before a zero
    moved = (np.abs(np.diff(rounded, axis=0)) > _MOVED).any(axis=1)
    return frozenset(blake2b(row.tobytes(), digest_size=8).digest() for row in rounded[1:][moved])


def _change(vectors: Vectors, steps: int) -> Array:
    """Largest change of the state in each step, in its own units; none without a state."""
    if STATE not in vectors:
        return np.zeros(steps)
    return np.abs(np.diff(vectors[STATE].astype(np.float64), axis=0)).max(axis=1, initial=0.0)
