"""From decoded datasets to training batches: windows of one target source and any number of auxiliary ones."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from glam.core.errors import GlamError
from glam.data.frames import Frames, LabelledFrames
from glam.data.normalizer import Normalizer
from glam.data.poses import turned
from glam.data.reader import Dataset
from glam.data.sampling import Sampler, StratifiedSampler
from glam.data.schema import ACTION, POSE_SIZE
from glam.data.sharing import Shared, left_out, shared
from glam.data.splits import Split
from glam.data.windows import EpisodeTable, window_rows, windows
from glam.nn.conv import ImageShape
from glam.nn.noise import Noise
from glam.training.seeding import seed_of
from glam.world_models.batches import LabelledWindows, MixedBatch, Windows, joined
from glam.world_models.parts import Sizes
from glam.world_models.states import StatesConfig

Rows = NDArray[np.intp]

_LOG = logging.getLogger(__name__)
_CHECK = "glam data check --target --aux says what to do"


@dataclass(frozen=True)
class Source:
    """One dataset, decoded, with some episodes held out for probes."""

    name: str
    frames: Frames
    split: Split
    observation: str
    """`images` or `masks`: which images are the observation."""

    @property
    def train(self) -> EpisodeTable:
        """The episodes that are learnt from."""
        return self.split.train

    def image(self, rows: Rows) -> Tensor:
        """All views stacked as channels, in 0..1. (..., C, Y, X)."""
        stores = self.frames.masks if self.observation == "masks" else self.frames.images
        views = [store[rows] for store in stores.values()]  # (..., Y, X, c) each
        stacked = torch.from_numpy(np.concatenate(views, axis=-1)).movedim(-1, -3)
        return stacked.to(torch.float32).div_(255.0)

    def windows(self, rows: Rows, normalizer: Normalizer) -> Windows:
        """The frames at `rows` (B, T)."""
        pose = torch.from_numpy(normalizer.pose.normalize(self.frames.ee_pose[rows]))
        return Windows(self.image(rows), pose, idm_pose=pose)

    def turned(self, rows: Rows, normalizer: Normalizer, degrees: float, noise: Noise) -> Tensor:
        """Poses at `rows` (B, T) whose hands are turned about each axis at random, by `degrees` of deviation."""
        poses = self.frames.ee_pose[rows]
        vectors = np.radians(degrees) * noise.normal(*rows.shape, poses.shape[-1] // POSE_SIZE, 3).numpy()
        return torch.from_numpy(normalizer.pose.normalize(turned(poses, vectors)))


@dataclass(frozen=True)
class TargetSource(Source):
    """The labelled dataset."""

    frames: LabelledFrames

    def labelled_windows(self, rows: Rows, normalizer: Normalizer) -> LabelledWindows:
        """The frames at `rows` (B, T), with state and action."""
        seen = self.windows(rows, normalizer)
        state = torch.from_numpy(normalizer.state.normalize(self.frames.state[rows]))
        action = torch.from_numpy(normalizer.action.normalize(self.frames.action[rows]))
        return LabelledWindows(seen.image, seen.pose, seen.idm_pose, state, action)


@dataclass(frozen=True)
class BatchConfig:
    """What one batch holds."""

    frames: int = 8
    """Length T of a window."""
    target_windows: int = 8
    auxiliary_windows: int = 8


class MixedBatches:
    """Batch of each step: a pure function of seed and step.

    Auxiliary sources share their half by their size, and each has at least one window. Poses as they are idm_pose are
    turned about each axis at random, by `idm_rotation_noise` of deviation.
    """

    def __init__(
        self,
        target: TargetSource,
        auxiliary: Sequence[Source],
        normalizer: Normalizer,
        config: BatchConfig,
        seed: int,
        idm_rotation_noise: float = 0.0,
    ) -> None:
        self._target, self._auxiliary, self._normalizer, self._config = target, auxiliary, normalizer, config
        self._seed, self._turned_degrees = seed, idm_rotation_noise
        starts = [_starts(source, config.frames) for source in auxiliary]
        sizes = [float(len(rows)) for rows in starts]
        self._target_sampler = Sampler(_starts(target, config.frames), config.target_windows, seed)
        count = max(config.auxiliary_windows, len(auxiliary))
        self._auxiliary_sampler = StratifiedSampler(starts, sizes, count, seed + 1)

    def __call__(self, step: int) -> MixedBatch:
        """The batch of `step`."""
        length, normalizer = self._config.frames, self._normalizer
        noise = Noise.seeded(seed_of(self._seed, "turned poses", step))
        turned = partial(Source.turned, normalizer=normalizer, degrees=self._turned_degrees, noise=noise)
        rows = window_rows(self._target_sampler.indices(step), length)
        target = replace(self._target.labelled_windows(rows, normalizer), idm_pose=turned(self._target, rows))
        parts: list[Windows] = []
        for source, first in zip(self._auxiliary, self._auxiliary_sampler.indices(step), strict=True):
            rows = window_rows(first, length)
            parts.append(replace(source.windows(rows, normalizer), idm_pose=turned(source, rows)))
        return MixedBatch(target, joined(parts))


def sizes_of(target: TargetSource, latent: int) -> Sizes:
    """Sizes of the networks' inputs and outputs."""
    channels, height, width = target.image(np.array([0]))[0].shape
    image = ImageShape(channels, height, width)
    schema = target.frames.schema
    return Sizes(image, len(schema.pose_names), len(schema.state_names), len(schema.action_names), latent)


def require_target(target: Dataset, states: StatesConfig) -> None:
    """Refuse a target that cannot teach what it must; before it is decoded, which may take minutes."""
    if target.schema.role != "target":
        raise GlamError(f"{target.root}: an auxiliary set, without {ACTION}; --target must be a set with actions")
    if states.observation == "masks" and not target.schema.objects:
        way_out = "give a dataset with masks, or a method without -o"
        raise GlamError(f"{target.root}: has no object masks, which methods called -o need; {way_out}")


def require_alike(target: Dataset, other: Dataset, states: StatesConfig) -> None:
    """Refuse a dataset that the target's networks could not read; cameras that one of them lacks are left out."""
    for what in ("fps", "arms", "objects"):
        mine, its = getattr(target.schema, what), getattr(other.schema, what)
        if mine != its and (what != "objects" or states.observation == "masks"):
            raise GlamError(f"{other.root}: {what} is {its}, but the target {target.root} has {mine}; {_CHECK}")
    if states.has_pose and not other.schema.has_pose:
        way_out = "find it with glam data adopt --kinematics, or train a method called -no-pose"
        raise GlamError(f"{other.root}: has no end-effector pose, which this method needs; {way_out}")


def shared_features(datasets: Sequence[Dataset]) -> Shared:
    """What all datasets have, of which the first is the target; says what of each is left out."""
    found = shared([dataset.schema for dataset in datasets])
    if not found.cameras:
        listed = "; ".join(f"{dataset.root} has {', '.join(dataset.schema.cameras)}" for dataset in datasets)
        raise GlamError(f"no camera is common to all datasets: {listed}; rename cameras with glam data adopt --map")
    for dataset in datasets:
        dropped = left_out(dataset.schema, found)
        if dropped:
            _LOG.warning("%s: left out is %s, which not all datasets have", dataset.root, dropped)
    return found


def _starts(source: Source, length: int) -> Rows:
    try:
        return windows(source.train, length)
    except GlamError as error:
        raise GlamError(f"{source.name}: {error}") from None


def episodes_of(table: EpisodeTable) -> list[Rows]:
    """Rows of each episode."""
    return [np.arange(start, start + length) for start, length in zip(table.starts, table.lengths, strict=True)]
