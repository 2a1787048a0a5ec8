"""`glam data tracks`: fingertip tracks in a copy of a dataset, from clicks, or from poses and calibrated cameras."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core import files
from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.core.geometry import PinholeCamera, rotation_from_six
from glam.core.workers import Pool, Progress, no_progress
from glam.data.reader import Dataset
from glam.data.schema import EE_POSE, GRIPPER, IMAGE_PREFIX, OPENING_UNIT, POSE_SIZE
from glam.data.tracked_set import TrackedSet
from glam.data.tracks import EE_TRACKS, FINGERS, points_of, tracks_of
from glam.interop.trackers.clicks import Clicks
from glam.interop.trackers.fingertips import (
    DEFAULT_TRACKER,
    ClickedTips,
    Followed,
    Look,
    TrackerConfig,
    follow,
    learn,
)
from glam.reports.data_view import spread
from glam.reports.track_images import track_film

Tracks = NDArray[np.float32]
_SHOWN = 8
"""Episodes in the film."""
_BACKGROUND = 20
"""Episodes that show what a camera sees without a hand."""
TIP_BEYOND_TOOL = 0.018
"""Metres from the tool point to the fingertips, along the tool's z axis: the convention of `observation.ee_pose`."""


@dataclass(frozen=True)
class Tracked:
    """Result of making tracks."""

    root: Path
    made: int
    """Frames of cameras that got tracks in this run."""
    seconds: float
    """That this took."""
    missed: tuple[tuple[int, str], ...]
    """Episode, and arm with camera, in which no fingertip was found."""
    overlay: Path
    """Film that shows them."""


def track_by_clicks(
    source: Path,
    out: Path,
    clicks: Clicks,
    cameras: Sequence[str],
    progress: Progress = no_progress,
    pool: Pool | None = None,
) -> Tracked:
    """Copy a dataset, with fingertips followed from clicks; resumes an interrupted run. `pool` does it elsewhere."""
    dataset = Dataset.open(source)
    hands = [(arm, camera) for arm in dataset.schema.arms for camera in cameras]
    config = DEFAULT_TRACKER
    looks = {hand: _learnt(dataset, clicks, *hand, config) for hand in hands}
    tracker = _ByClicks(dataset, clicks, tuple(cameras), config, looks)
    notes = {"clicks": to_json(clicks)["clicks"], "settings": to_json(config)}
    return _made(TrackedSet.of(dataset, out, cameras, notes), tracker.tracks, progress, pool)


def track_by_poses(
    source: Path,
    out: Path,
    cameras: Mapping[str, PinholeCamera],
    notes: dict[str, Any],
    progress: Progress = no_progress,
    pool: Pool | None = None,
) -> Tracked:
    """Copy a dataset whose poses are known, with the fingertips where calibrated cameras must see them."""
    dataset = Dataset.open(source)
    if not dataset.schema.has_pose:
        remedy = "compute it with glam data adopt --kinematics, or track from clicks: --prompts"
        raise GlamError(f"{source}: has no end-effector pose; {remedy}")
    strange = [name for name in cameras if name not in dataset.schema.cameras]
    if strange:
        raise GlamError(f"--camera: calibrates {strange[0]}; the set has {', '.join(dataset.schema.cameras)}")
    tracker = _ByPoses(dataset, tuple(cameras.values()))
    copy = TrackedSet.of(dataset, out, list(cameras), {"calibration": notes})
    return _made(copy, tracker.tracks, progress, pool)


@dataclass(frozen=True, eq=False)
class _ByPoses:
    """Fingertips of any episode of a dataset whose poses are known."""

    dataset: Dataset
    cameras: tuple[PinholeCamera, ...]

    def tracks(self, index: int) -> Tracks:
        """(T, 3 P)."""
        poses = self.dataset.vectors(index)[EE_POSE].astype(np.float64)
        return projected(poses, len(self.dataset.schema.arms), self.cameras)


def projected(poses: NDArray[np.float64], arms: int, cameras: Sequence[PinholeCamera]) -> Tracks:
    """Tracks of the fingertips at poses (T, 10 K). Nothing hides them but the edge of the image."""
    hands = poses.reshape(len(poses), arms, POSE_SIZE)
    rotation = rotation_from_six(hands[..., 3:9])
    half = 0.5 * OPENING_UNIT * hands[..., GRIPPER]
    zero = np.zeros_like(half)
    tips = [np.stack([zero, side * half, zero + TIP_BEYOND_TOOL], axis=-1) for side in (1.0, -1.0)]
    points = np.stack([hands[..., :3] + np.einsum("tkij,tkj->tki", rotation, tip) for tip in tips], axis=2)
    places, seen = zip(*(camera.project(points) for camera in cameras), strict=True)
    shape = len(poses), arms * len(cameras) * len(FINGERS)
    return tracks_of(np.stack(places, axis=2).reshape(*shape, 2), np.stack(seen, axis=2).reshape(shape))


@dataclass(frozen=True, eq=False)
class _ByClicks:
    """Fingertips of any episode of a dataset."""

    dataset: Dataset
    clicks: Clicks
    cameras: tuple[str, ...]
    config: TrackerConfig
    looks: Mapping[tuple[str, str], Look]
    """Of the clicked fingertips, by arm and camera."""

    def tracks(self, index: int) -> Tracks:
        """(T, 3 P)."""
        images = {camera: self.dataset.images(index, IMAGE_PREFIX + camera) for camera in self.cameras}
        parts = [
            self._followed(index, arm, camera, images[camera])
            for arm in self.dataset.schema.arms
            for camera in self.cameras
        ]
        height, width = self.dataset.schema.image_size
        places = np.concatenate([(part.places + 0.5) / [width, height] for part in parts], axis=1)
        seen = np.concatenate([part.seen for part in parts], axis=1)
        inside = ((places >= 0.0) & (places <= 1.0)).all(-1)
        return tracks_of(places, seen & inside)

    def _followed(self, index: int, arm: str, camera: str, images: NDArray[np.uint8]) -> Followed:
        own = {click.frame: click.places for click in self.clicks.of(arm, camera) if click.episode == index}
        return follow(images, self.looks[arm, camera], own, self.config)


def _learnt(dataset: Dataset, clicks: Clicks, arm: str, camera: str, config: TrackerConfig) -> Look:
    key = IMAGE_PREFIX + camera
    own = [ClickedTips(dataset.images(one.episode, key), one.frame, one.places) for one in clicks.of(arm, camera)]
    return learn(own, _seen(dataset, key), config)


def _seen(dataset: Dataset, key: str) -> NDArray[np.uint8]:
    """The first, the middle and the last image of some episodes."""
    episodes = [dataset.images(index, key) for index in spread(dataset, _BACKGROUND)]
    return np.concatenate([one[[0, len(one) // 2, -1]] for one in episodes])


def _made(
    copy: TrackedSet, tracks: Callable[[int], Tracks], progress: Progress = no_progress, pool: Pool | None = None
) -> Tracked:
    dataset, cameras = copy.source, copy.schema.track_cameras
    with copy.making():
        missing = copy.missing()
        done, started = len(dataset.episodes) - len(missing), time.perf_counter()
        work = _Tracking(copy, tracks)
        for count, _ in enumerate(pool.spread(work, missing) if pool else map(work, missing), start=1):
            progress(done + count, len(dataset.episodes))
        seconds = time.perf_counter() - started
        copy.publish()
    out = copy.root
    result = Dataset.open(out)
    overlay = out.resolve().with_name(f"{out.resolve().name}-tracks.mp4")
    files.write_bytes(overlay, track_film(result, spread(result, _SHOWN)))
    made = len(cameras) * sum(dataset.episodes[index].length for index in missing)
    return Tracked(out, made, seconds, tuple(_without_fingertips(result)), overlay)


@dataclass(frozen=True, eq=False)
class _Tracking:
    """The work for one episode, on any machine; the tracks are put aside."""

    copy: TrackedSet
    tracks: Callable[[int], Tracks]

    def __call__(self, index: int) -> None:
        """Do it."""
        self.copy.save(index, self.tracks(index))


def _without_fingertips(dataset: Dataset) -> list[tuple[int, str]]:
    schema = dataset.schema
    titles = [f"{arm}, {camera}" for arm in schema.arms for camera in schema.track_cameras]
    found = []
    for record in dataset.episodes:
        _, seen = points_of(dataset.vectors(record.index)[EE_TRACKS])
        hands = seen.reshape(len(seen), len(titles), len(FINGERS))
        found += [(record.index, title) for number, title in enumerate(titles) if not hands[:, number].any()]
    return found
