"""Demonstrations that world models and policies are trained on: decoded, with some episodes held out.

Datasets that are used together share features; checks here tell whether one network can read them all. A copy with
masks, tracks or latent actions holds the same episodes as its source, so the same ones are held out.
"""

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.workers import Progress, no_progress
from glam.data.cache import decoded
from glam.data.manifest import ALIGNED, LATENTS
from glam.data.masked_set import DESCRIPTION as MASKS
from glam.data.reader import Dataset
from glam.data.schema import ACTION, IMAGE_PREFIX, MASK_PREFIX, Schema
from glam.data.tracked_set import DESCRIPTION as TRACKS
from glam.data.tracks import of_cameras, points_of
from glam.data.windows import EpisodeTable, FrameIndices, Frames, Sampler, StratifiedSampler


class Split(NamedTuple):
    """The episodes of one source, each on exactly one side."""

    train: EpisodeTable
    held_out: EpisodeTable


def hold_out(episodes: EpisodeTable, content_id: str, fraction: float, seed: int) -> Split:
    """Hold out a fraction of the episodes of a source, at least one, chosen by the seed and the source's content.

    Equal sources are split alike, wherever they lie: a set that serves in two roles gives away nothing held out.
    """
    if not 0.0 < fraction < 1.0:
        raise GlamError(f"a fraction {fraction} of the episodes to hold out; it must be between 0 and 1")
    if len(episodes) < 2:
        raise GlamError(f"{len(episodes)} episodes; at least 2 are needed to hold one out")
    count = min(max(round(fraction * len(episodes)), 1), len(episodes) - 1)
    draws = [hashlib.sha256(f"{content_id} {seed} {episode}".encode()).digest() for episode in range(len(episodes))]
    order = np.array(sorted(range(len(episodes)), key=draws.__getitem__), np.int64)
    return Split(train=episodes.select(order[count:]), held_out=episodes.select(order[:count]))


_SOURCES = ((LATENTS, "dataset"), (MASKS, "source"), (ALIGNED, "source"), (TRACKS, "source"))
"""Where copies note the content id of what they were made of."""


def lineage(dataset: Dataset) -> tuple[str, ...]:
    """Content ids of a dataset and of those that it is a copy of."""
    description = dataset.provenance.get("description", {})
    sources = [description[kind][key] for kind, key in _SOURCES if key in description.get(kind, {})]
    return (dataset.content_id, *map(str, sources))


SomeFrames = TypeVar("SomeFrames", bound=Frames)

_LOG = logging.getLogger(__name__)
_CHECK = "glam data check --target --aux says what to do"


def require_transitions(dataset: Dataset) -> None:
    """Refuse a dataset with an episode of one frame, from which nothing can be learnt."""
    for record in dataset.episodes:
        if record.length < SHORTEST:
            way_out = f"a transition needs {SHORTEST}: leave the episode out"
            raise GlamError(f"{dataset.root}: episode {record.index} has {record.length} frame; {way_out}")


SHORTEST = 2
"""Frames of the shortest episode that can be trained on."""


class Format(Protocol):
    """The properties in which datasets that are used together must agree; a schema has them."""

    @property
    def fps(self) -> int:
        """Frames per second."""

    @property
    def arms(self) -> tuple[str, ...]:
        """Names of the arms."""

    @property
    def objects(self) -> tuple[str, ...]:
        """Names of the objects that have masks."""


@dataclass(frozen=True)
class Shared:
    """Features that all of several datasets have."""

    cameras: tuple[str, ...]
    """In the order of the first dataset."""
    has_pose: bool
    has_masks: bool
    """True if all have masks of the same objects."""
    track_cameras: tuple[str, ...] = ()
    """Cameras of the tracks that are used."""


def shared(schemas: Sequence[Schema]) -> Shared:
    """Features that one network can learn from; the first schema is the target's.

    Cameras and masks are those that all have. Of the hand, a pose or tracks, it is what the target has and at least one
    other schema: not every source needs all of it.
    """
    others = schemas[1:] or schemas
    whole = of_target(schemas)
    tracks = tuple(c for c in whole.track_cameras if any(c in schema.track_cameras for schema in others))
    has_pose = whole.has_pose and any(schema.has_pose for schema in others)
    return replace(whole, has_pose=has_pose, track_cameras=tracks)


def of_target(schemas: Sequence[Schema]) -> Shared:
    """The same, with all that the target alone knows of its hand: for a policy, which learns to do without."""
    first = schemas[0]
    cameras = tuple(camera for camera in first.cameras if all(camera in schema.cameras for schema in schemas))
    has_masks = bool(first.objects) and all(schema.objects == first.objects for schema in schemas)
    tracks = tuple(camera for camera in first.track_cameras if camera in cameras)
    return Shared(cameras, first.has_pose, has_masks, tracks)


def restricted(frames: SomeFrames, wanted: Shared) -> SomeFrames:
    """The frames without what is not used; masks go with their cameras. Tracks that they lack are hidden points."""
    images = {IMAGE_PREFIX + camera: frames.images[IMAGE_PREFIX + camera] for camera in wanted.cameras}
    has_masks = wanted.has_masks and bool(frames.masks)
    masks = {MASK_PREFIX + camera: frames.masks[MASK_PREFIX + camera] for camera in wanted.cameras if has_masks}
    pose = frames.ee_pose if wanted.has_pose else frames.ee_pose[:, :0]
    known = frames.schema.track_cameras
    tracks = of_cameras(frames.ee_tracks, len(frames.schema.arms), known, wanted.track_cameras)
    schema = replace(
        frames.schema,
        cameras=wanted.cameras,
        objects=frames.schema.objects if has_masks else (),
        has_pose=wanted.has_pose and frames.schema.has_pose,
        track_cameras=tuple(camera for camera in wanted.track_cameras if camera in known),
    )
    return replace(frames, images=images, masks=masks, ee_pose=pose, ee_tracks=tracks, schema=schema)


def left_out(schema: Schema, wanted: Shared) -> str:
    """Words for the features of a dataset that not all have; empty if there are none."""
    cameras = [f"the camera {camera}" for camera in schema.cameras if camera not in wanted.cameras]
    pose = ["the end-effector pose"] if schema.has_pose and not wanted.has_pose else []
    tracks = [
        f"the tracks in {camera}"
        for camera in schema.track_cameras
        if camera in wanted.cameras and camera not in wanted.track_cameras
    ]
    return " and ".join([*cameras, *pose, *tracks])


def shared_features(datasets: Sequence[Dataset], choose: Callable[[Sequence[Schema]], Shared] = shared) -> Shared:
    """Features to learn from, of datasets of which the first is the target; warns about what is left out."""
    found = choose([dataset.schema for dataset in datasets])
    if not found.cameras:
        listed = "; ".join(f"{dataset.root} has {', '.join(dataset.schema.cameras)}" for dataset in datasets)
        raise GlamError(f"no camera is common to all datasets: {listed}; rename cameras with glam data adopt --map")
    for dataset in datasets:
        if dropped := left_out(dataset.schema, found):
            _LOG.warning("%s: not used is %s, which not all datasets have", dataset.root, dropped)
    return found


def require_target(target: Dataset, *, needs_masks: bool) -> None:
    """Refuse a target without actions, or without the masks that are needed, before it is decoded."""
    if target.schema.role != "target":
        raise GlamError(f"{target.root}: an auxiliary set, without {ACTION}; --target must be a set with actions")
    if needs_masks and not target.schema.objects:
        way_out = "give a dataset with masks, or choose a method without -o"
        raise GlamError(f"{target.root}: has no object masks, which methods with -o need; {way_out}")


def require_alike(target: Dataset, other: Dataset, *, needs_pose: bool, needs_masks: bool) -> None:
    """Refuse a dataset that networks for the target could not read; cameras may differ."""
    if difference := first_difference_of(other.schema, target.schema, needs_masks=needs_masks):
        what, its, mine = difference
        raise GlamError(f"{other.root}: {what} is {its}, but the target {target.root} has {mine}; {_CHECK}")
    if needs_pose and not _share_hand(target.schema, other.schema):
        raise GlamError(f"{other.root}: {_missing_hand(target.schema, other.schema)}")


def require_hands(source: "Demonstrations") -> None:
    """Refuse a decoded source of which nothing tells where the hand is, as every fingertip is hidden."""
    frames = source.frames
    if not frames.schema.has_pose and not points_of(frames.ee_tracks)[1].any():
        where = ", ".join(frames.schema.track_cameras)
        way_out = "track again with glam data tracks, or train a method with -no-pose"
        raise GlamError(f"{source.name}: every fingertip is hidden in all frames of {where}; {way_out}")


def _share_hand(target: Schema, other: Schema) -> bool:
    """True if both tell where the hand is by the same feature, a pose or the tracks in some camera."""
    return (target.has_pose and other.has_pose) or bool(set(target.track_cameras) & set(other.track_cameras))


def _missing_hand(target: Schema, other: Schema) -> str:
    if not (other.has_pose or other.track_cameras):
        way_out = "compute it with glam data adopt --kinematics, add tracks, or train a method with -no-pose"
        return f"has no end-effector pose, which this method needs; {way_out}"
    mine, its = ("a pose" if schema.has_pose else "tracks" for schema in (target, other))
    way_out = "add tracks to the one that lacks them with glam data tracks, or train a method with -no-pose"
    return f"knows its hand by {its} alone, the target by {mine}; {way_out}"


def first_difference_of(its: Format, mine: Format, *, needs_masks: bool) -> tuple[str, object, object] | None:
    """Name and both values of the first property in which two formats differ; objects count where masks are needed."""
    for what in ("fps", "arms", "objects") if needs_masks else ("fps", "arms"):
        if getattr(its, what) != getattr(mine, what):
            return what, getattr(its, what), getattr(mine, what)
    return None


@dataclass(frozen=True)
class Demonstrations:
    """One decoded dataset with some episodes held out."""

    name: str
    """Name of the dataset in error messages."""
    frames: Frames
    split: Split

    @property
    def train(self) -> EpisodeTable:
        """The training episodes."""
        return self.split.train


@dataclass(frozen=True)
class Reading:
    """Settings with which all datasets of a training are read."""

    pixels: int
    """Height and width to which images are shrunk."""
    held_out: float
    """Fraction of the episodes that is held out."""
    seed: int
    """Seed of that split."""
    workers: int = 2

    def open(self, dataset: Dataset, wanted: Shared, progress: Progress = no_progress) -> Demonstrations:
        """Decode a dataset, keep the wanted features, and hold out some episodes."""
        require_transitions(dataset)
        frames = restricted(decoded(dataset, self.pixels, workers=self.workers, progress=progress), wanted)
        split = hold_out(frames.episodes, frames.content_id, self.held_out, self.seed)
        return Demonstrations(str(dataset.root), frames, split)


class MixedSampler:
    """Draws target and auxiliary items of each step: a pure function of seed and step.

    Auxiliary sources share their part of the batch in proportion to their number of items.
    """

    def __init__(
        self, target: FrameIndices, auxiliary: Sequence[FrameIndices], target_size: int, auxiliary_size: int, seed: int
    ) -> None:
        sizes = [float(len(items)) for items in auxiliary]
        self._target = Sampler(target, target_size, seed)
        self._auxiliary = StratifiedSampler(auxiliary, sizes, auxiliary_size, seed + 1)

    def indices(self, step: int) -> tuple[FrameIndices, tuple[FrameIndices, ...]]:
        """The target's items of a step, and those of each auxiliary source."""
        return self._target.indices(step), self._auxiliary.indices(step)


def episodes_of(table: EpisodeTable) -> list[NDArray[np.intp]]:
    """Frame indices of each episode."""
    return [np.arange(start, start + length) for start, length in zip(table.starts, table.lengths, strict=True)]
