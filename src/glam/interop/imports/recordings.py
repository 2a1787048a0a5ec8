"""Recording in the form that every importer returns: motions and camera frames, each with its own time stamps.

Dimension key: T samples of a path, F frames of a camera, K arms.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.interop.imports.point_tracks import PointTracks
from glam.interop.imports.reader_client import ReaderClient
from glam_client.pose_conversion import PoseRecipe, opened_shares

Array = NDArray[np.float64]
Images = NDArray[np.uint8]

MOST_RATE = 1000.0  # Hz
ONE_ARM = "arm"
"""Name of the only arm, as in our own sets."""


@dataclass(frozen=True)
class Hints:
    """Facts from the user that a file may lack."""

    source_rate: float | None = None
    """Samples per second of the recording."""
    gripper: tuple[float, float] | None = None
    """What the recorder reads at a closed and at an open gripper."""
    task: str = ""
    """What is done, as a sentence."""

    def __post_init__(self) -> None:
        """Refuse what is no rate and no range."""
        if self.source_rate is not None:
            checked_rate(self.source_rate, "--source-rate")
        if self.gripper is not None and (not np.isfinite(self.gripper).all() or self.gripper[0] == self.gripper[1]):
            raise GlamError(f"--gripper {self.gripper[0]:g} {self.gripper[1]:g} must be two different numbers")


@dataclass(frozen=True, eq=False)
class Motion:
    """Everything of an episode but its images."""

    times: Array
    """(T,) seconds, increasing."""
    positions: Array
    """(T, K, 3) metres."""
    quaternions: Array
    """(T, K, 4), (x, y, z, w)."""
    openings: Array
    """(T, K), 0 closed, 1 open."""
    state: Array
    """(T, n_s); n_s is 0 when no state was recorded."""
    action: Array
    """(T, n_a); n_a is 0 in a recording without actions."""


@dataclass(frozen=True, eq=False)
class FrameSequence:
    """Frames of one camera in one episode, read when they are needed."""

    name: str
    """In the source."""
    times: Array
    """(F,) seconds by the clock of the motion, increasing."""
    size: tuple[int, int]
    """Height and width."""
    pieces: Callable[[int, int], Iterator[Images]]
    """Frames first .. last - 1, some at a time, (n, Y, X, channels)."""
    channels: int = 3


@dataclass(frozen=True, eq=False)
class Track:
    """One episode."""

    name: str
    """In the source, such as `data/demo_0`."""
    task: str
    motion: Motion
    images: dict[str, FrameSequence]
    """By camera."""
    masks: dict[str, FrameSequence] = field(default_factory=dict)
    """By camera; for each camera or for none."""
    points: PointTracks | None = None
    """Fingertips; of each episode or of none."""


@dataclass(frozen=True, eq=False)
class Recording:
    """A foreign recording, ready to be converted."""

    source: Path
    robot: str
    rate: float
    """Samples per second; of a video its frames."""
    arms: tuple[str, ...]
    state_names: tuple[str, ...]
    """Empty when no joints were recorded."""
    action_names: tuple[str, ...]
    """Empty in a recording without actions."""
    is_bound_to_rate: bool
    """Whether actions mean something at the recording's rate alone; else a longer step sums the deltas."""
    tracks: tuple[Track, ...]
    delta_actions: tuple[int, ...] = ()
    """Entries of an action that say by how much to move; the others say where to be."""
    objects: tuple[str, ...] = ()
    """Channels of the masks."""
    has_pose: bool = True
    """Without one, motions have no arms, whatever `arms` is."""
    track_cameras: tuple[str, ...] = ()
    """Cameras in which fingertips are tracked."""
    poses: PoseRecipe = PoseRecipe()
    """How the poses were made of what the source holds, where that can be done again live."""


@dataclass(frozen=True)
class Importer:
    """Reader of one format; every importer module has one as its constant `IMPORTER`."""

    read: Callable[[ReaderClient, Path, Hints], Recording]
    """Read and check everything but the images."""
    recognizes: Callable[[Path], bool]
    """True for a file or folder that looks like this format."""
    takes: tuple[Literal["file", "folder"], ...]


def with_range(recipe: PoseRecipe, closed: float, opened: float) -> PoseRecipe:
    """The recipe with gripper readings of this range."""
    return replace(recipe, arms=tuple(replace(arm, closed=closed, opened=opened) for arm in recipe.arms))


def arm_names(count: int) -> tuple[str, ...]:
    """One arm is called as in our own sets; several keep the names of the source."""
    return (ONE_ARM,) if count == 1 else tuple(f"robot{number}" for number in range(count))


def joint_state(joints: Sequence[Array], openings: Array, arms: tuple[str, ...]) -> tuple[Array, tuple[str, ...]]:
    """A robot's state, (T, n_s), and its names: of each arm its joints (T, n) and its opening. Empty without joints."""
    parts, names = [np.empty((len(openings), 0))], []
    for number, (arm, angles) in enumerate(zip(arms, joints, strict=False)):
        parts += [angles, openings[:, [number]]]
        names += [*(f"{arm}.joint{joint}" for joint in range(1, angles.shape[1] + 1)), f"{arm}.gripper"]
    return np.concatenate(parts, axis=1), tuple(names)


def numbered(word: str, count: int) -> tuple[str, ...]:
    """Names for entries that have none."""
    return tuple(f"{word}{number}" for number in range(count))


def checked_rate(rate: float, what: str) -> float:
    """A rate that a recording can have."""
    if not 0.0 < rate <= MOST_RATE:
        raise GlamError(f"{what} is {rate:g} Hz; it must be above 0 and at most {MOST_RATE:g}")
    return float(rate)


def opening_fractions(readings: Sequence[Array], known: tuple[float, float] | None, where: str) -> list[Array]:
    """Gripper readings of all episodes, (T, K) each, as openings from 0 to 1."""
    closed, opened = opening_range(readings, known, where)
    return [opened_shares(reading, closed, opened) for reading in readings]


def opening_range(readings: Sequence[Array], known: tuple[float, float] | None, where: str) -> tuple[float, float]:
    """Gripper readings that mean closed and open.

    Without a known range a reading of 0 is closed, and the largest of the whole recording is open.
    """
    if known is not None:
        return known
    largest = max((float(reading.max(initial=0.0)) for reading in readings), default=0.0)
    smallest = min((float(reading.min(initial=0.0)) for reading in readings), default=0.0)
    if not np.isfinite(largest - smallest) or smallest < -0.05 * largest:
        remedy = "say with --gripper what is read at a closed and at an open one"
        raise GlamError(f"{where}: gripper readings from {smallest:g} to {largest:g}; {remedy}")
    return 0.0, largest or 1.0
