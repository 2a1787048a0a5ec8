"""From decoded datasets to policy batches: observations with the chunks that follow them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from glam.data.frames import Frames, LabelledFrames
from glam.data.normalizer import Normalizer, VectorNormalizer, of_latents
from glam.data.sampling import Sampler, StratifiedSampler
from glam.data.windows import ChunkIndices, EpisodeTable, action_chunks, latent_chunks, transitions
from glam.policies.batches import (
    ActionBatch,
    Chunks,
    Keypoints,
    LatentBatch,
    LatentSamples,
    Observations,
    joined,
)
from glam.policies.encoders.inputs import ReadInputs, read_images

Rows = NDArray[np.intp]
Floats = NDArray[np.float32]

_LEAST_SEEN = 4.0
"""Visible pixels from which on an object's centroid counts in the keypoint loss."""


def latent_normalizer(latents: Sequence[Floats], tables: Sequence[EpisodeTable]) -> VectorNormalizer:
    """Normalizer of latent actions over all sources together, given one for every frame."""
    return of_latents([values[transitions(table)] for values, table in zip(latents, tables, strict=True)])


@dataclass(frozen=True)
class RowsSource:
    """One dataset as a source of policy samples."""

    frames: Frames
    train: EpisodeTable
    """The episodes that are learnt from."""
    read_inputs: ReadInputs = read_images
    """Reads the encoder inputs of frames."""
    keypoint_size: int = 0
    """Numbers k of the keypoint loss; without masks none of them counts."""

    def observations(self, rows: Rows, normalizer: Normalizer) -> Observations:
        """Observations at the frame indices `rows`, without robot state."""
        state = torch.zeros(len(rows), len(normalizer.state.mean))
        return Observations(
            self.read_inputs(self.frames, rows), self._pose(rows, normalizer), state, torch.zeros(len(rows), 1)
        )

    def keypoints(self, rows: Rows) -> Keypoints:
        """Keypoints at the frame indices `rows`."""
        centroids, is_seen = self._centroids
        return Keypoints(torch.from_numpy(centroids[rows]), torch.from_numpy(is_seen[rows]))

    def _pose(self, rows: Rows, normalizer: Normalizer) -> Tensor:
        return torch.from_numpy(normalizer.pose.normalize(self.frames.ee_pose[rows]))

    @cached_property
    def _centroids(self) -> tuple[Floats, Floats]:
        """Centroids of all masks and 1 where they count. (N, k) each, k = 2 x objects x views."""
        found = [mask_centroids(masks) for masks in self.frames.masks.values()]
        if not found:
            nothing = np.zeros((len(self.frames), self.keypoint_size), np.float32)
            return nothing, nothing
        return np.concatenate([part[0] for part in found], axis=1), np.concatenate([part[1] for part in found], axis=1)


@dataclass(frozen=True)
class TargetRowsSource(RowsSource):
    """The labelled dataset as a source of policy samples."""

    frames: LabelledFrames

    def observations(self, rows: Rows, normalizer: Normalizer) -> Observations:
        """Observations at the frame indices `rows`, with robot state."""
        state = torch.from_numpy(normalizer.state.normalize(self.frames.state[rows]))
        return Observations(
            self.read_inputs(self.frames, rows), self._pose(rows, normalizer), state, torch.ones(len(rows), 1)
        )

    def actions(self, rows: Rows, normalizer: Normalizer, chunk_size: int) -> Chunks:
        """Recorded actions from `rows` on."""
        found = action_chunks(self.frames.episodes, rows, chunk_size)
        return _chunks(normalizer.action.normalize(self.frames.action[found.rows]), found)


@dataclass(frozen=True)
class RelabelledSource:
    """A source with a label for every transition, latent or retargeted, normalized; last rows have none. (N, n)."""

    source: RowsSource
    labels: Floats

    def chunks(self, rows: Rows, chunk_size: int) -> Chunks:
        """Labels from `rows` on."""
        found = latent_chunks(self.source.frames.episodes, rows, chunk_size)
        return _chunks(self.labels[found.rows], found)

    def at(self, rows: Rows, normalizer: Normalizer, chunk_size: int) -> tuple[Observations, Keypoints, Chunks]:
        """Observations, keypoints and labels at the frame indices `rows`."""
        return self.source.observations(rows, normalizer), self.source.keypoints(rows), self.chunks(rows, chunk_size)


@dataclass(frozen=True)
class BatchPlan:
    """Sizes of a batch."""

    chunk_size: int
    target_samples: int
    auxiliary_samples: int


class ActionBatches:
    """Batches of labelled samples: a pure function of seed and step."""

    def __init__(
        self, target: TargetRowsSource, normalizer: Normalizer, chunk_size: int, batch_size: int, seed: int
    ) -> None:
        self._target, self._normalizer, self._chunk_size = target, normalizer, chunk_size
        self._sampler = Sampler(target.train.rows, batch_size, seed)

    def __call__(self, step: int) -> ActionBatch:
        """The batch of `step`."""
        return recorded(self._target, self._sampler.indices(step), self._normalizer, self._chunk_size)


class _MixedBatches:
    """Samples of the target and of auxiliary sources in fixed numbers: a pure function of seed and step."""

    def __init__(
        self,
        target: RowsSource,
        auxiliary: Sequence[RelabelledSource],
        normalizer: Normalizer,
        plan: BatchPlan,
        seed: int,
    ) -> None:
        self._auxiliary, self._normalizer, self._chunk_size = auxiliary, normalizer, plan.chunk_size
        self._target_rows = Sampler(target.train.rows, plan.target_samples, seed)
        items = [part.source.train.rows for part in auxiliary]
        sizes = [float(len(rows)) for rows in items]
        self._auxiliary_rows = StratifiedSampler(items, sizes, plan.auxiliary_samples, seed + 1)

    def _others(self, step: int) -> list[tuple[Observations, Keypoints, Chunks]]:
        """Samples of each auxiliary source in the batch of `step`."""
        drawn = zip(self._auxiliary, self._auxiliary_rows.indices(step), strict=True)
        return [part.at(rows, self._normalizer, self._chunk_size) for part, rows in drawn]


class RetargetedBatches(_MixedBatches):
    """Batches of target and auxiliary samples with actions, recorded or retargeted."""

    def __init__(
        self,
        target: TargetRowsSource,
        auxiliary: Sequence[RelabelledSource],
        normalizer: Normalizer,
        plan: BatchPlan,
        seed: int,
    ) -> None:
        super().__init__(target, auxiliary, normalizer, plan, seed)
        self._target = target

    def __call__(self, step: int) -> ActionBatch:
        """The batch of `step`, target samples first."""
        own = recorded(self._target, self._target_rows.indices(step), self._normalizer, self._chunk_size)
        return joined([own, *(ActionBatch(*part) for part in self._others(step))])


class LatentBatches(_MixedBatches):
    """Batches of target and auxiliary samples with latent actions."""

    def __init__(
        self,
        target: tuple[TargetRowsSource, RelabelledSource],
        auxiliary: Sequence[RelabelledSource],
        normalizer: Normalizer,
        plan: BatchPlan,
        seed: int,
    ) -> None:
        """`target` is the source, and the same with its latent actions."""
        self._target, self._latents = target
        super().__init__(self._target, auxiliary, normalizer, plan, seed)

    def __call__(self, step: int) -> LatentBatch:
        """The batch of `step`."""
        rows, normalizer, chunk_size = self._target_rows.indices(step), self._normalizer, self._chunk_size
        target = LatentSamples(*self._latents.at(rows, normalizer, chunk_size))
        others = joined([LatentSamples(*part) for part in self._others(step)])
        return LatentBatch(target, self._target.actions(rows, normalizer, chunk_size), others)


def mask_centroids(masks: NDArray[np.uint8]) -> tuple[Floats, Floats]:
    """Centroid (x, y) of each channel in -1..1 of the image, and 1 where enough of it is visible. (N, Y, X, C)."""
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


def recorded(target: TargetRowsSource, rows: Rows, normalizer: Normalizer, chunk_size: int) -> ActionBatch:
    """Samples of the target with the recorded actions."""
    return ActionBatch(
        target.observations(rows, normalizer), target.keypoints(rows), target.actions(rows, normalizer, chunk_size)
    )


def _chunks(values: Floats, rows: ChunkIndices) -> Chunks:
    return Chunks(torch.from_numpy(values), torch.from_numpy(rows.is_real))
