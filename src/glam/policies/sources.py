"""From decoded datasets to policy batches: rows of observations with the chunks that follow them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from glam.data.frames import Frames, LabelledFrames
from glam.data.sampling import Sampler, StratifiedSampler
from glam.data.scales import Scale, Scales, of_latents
from glam.data.windows import Chunks as ChunkRows
from glam.data.windows import EpisodeTable, action_chunks, latent_chunks, transitions
from glam.policies.batches import (
    ActionBatch,
    Chunks,
    Keypoints,
    LatentBatch,
    LatentRows,
    Observations,
    joined,
)
from glam.policies.sight import Look, pictures

Rows = NDArray[np.intp]
Floats = NDArray[np.float32]

_LEAST_SEEN = 4.0
"""Pixels of an object that must be seen before its place in the picture is a lesson."""


def latent_scale(latents: Sequence[Floats], tables: Sequence[EpisodeTable]) -> Scale:
    """Normaliser of latent actions over all sources together, given a row for every frame."""
    return of_latents([values[transitions(table)] for values, table in zip(latents, tables, strict=True)])


@dataclass(frozen=True)
class RowsSource:
    """One dataset as a policy sees it."""

    frames: Frames
    train: EpisodeTable
    """The episodes that are learnt from."""
    look: Look = pictures
    """What the eyes are given of each row."""
    lesson: int = 0
    """Numbers k of the lesson for the eyes; without masks nothing of it is seen."""

    def observations(self, rows: Rows, scales: Scales) -> Observations:
        """What is seen at `rows`; no robot state."""
        state = torch.zeros(len(rows), len(scales.state.mean))
        return Observations(self.look(self.frames, rows), self._pose(rows, scales), state, torch.zeros(len(rows), 1))

    def keypoints(self, rows: Rows) -> Keypoints:
        """Where the objects are at `rows`."""
        centroids, is_seen = self._centroids
        return Keypoints(torch.from_numpy(centroids[rows]), torch.from_numpy(is_seen[rows]))

    def _pose(self, rows: Rows, scales: Scales) -> Tensor:
        return torch.from_numpy(scales.pose.normalise(self.frames.ee_pose[rows]))

    @cached_property
    def _centroids(self) -> tuple[Floats, Floats]:
        """Centroids of all masks and whether they count. (N, k) each, k = 2 x objects x views."""
        found = [mask_centroids(masks) for masks in self.frames.masks.values()]
        if not found:
            nothing = np.zeros((len(self.frames), self.lesson), np.float32)
            return nothing, nothing
        return np.concatenate([part[0] for part in found], axis=1), np.concatenate([part[1] for part in found], axis=1)


@dataclass(frozen=True)
class TargetRowsSource(RowsSource):
    """The labelled dataset as a policy sees it."""

    frames: LabelledFrames

    def observations(self, rows: Rows, scales: Scales) -> Observations:
        """What is seen at `rows`, with the robot's state."""
        state = torch.from_numpy(scales.state.normalise(self.frames.state[rows]))
        return Observations(self.look(self.frames, rows), self._pose(rows, scales), state, torch.ones(len(rows), 1))

    def actions(self, rows: Rows, scales: Scales, horizon: int) -> Chunks:
        """Recorded actions from `rows` on."""
        found = action_chunks(self.frames.episodes, rows, horizon)
        return _chunks(scales.action.normalise(self.frames.action[found.rows]), found)


@dataclass(frozen=True)
class Labelled:
    """A source with a label for every transition, latent or retargeted, normalised; last rows have none. (N, n)."""

    source: RowsSource
    labels: Floats

    def chunks(self, rows: Rows, horizon: int) -> Chunks:
        """Labels from `rows` on."""
        found = latent_chunks(self.source.frames.episodes, rows, horizon)
        return _chunks(self.labels[found.rows], found)

    def at(self, rows: Rows, scales: Scales, horizon: int) -> tuple[Observations, Keypoints, Chunks]:
        """All that is known of `rows`, with labels."""
        return self.source.observations(rows, scales), self.source.keypoints(rows), self.chunks(rows, horizon)


@dataclass(frozen=True)
class BatchPlan:
    """Sizes of a batch."""

    horizon: int
    target_rows: int
    auxiliary_rows: int


class ActionBatches:
    """Batches of labelled rows: a pure function of seed and step."""

    def __init__(self, target: TargetRowsSource, scales: Scales, horizon: int, rows: int, seed: int) -> None:
        self._target, self._scales, self._horizon = target, scales, horizon
        self._sampler = Sampler(target.train.rows, rows, seed)

    def __call__(self, step: int) -> ActionBatch:
        """The batch of `step`."""
        return recorded(self._target, self._sampler.indices(step), self._scales, self._horizon)


class _MixedBatches:
    """Rows of the target and of auxiliary sources, of each as many in every step: a pure function of seed and step."""

    def __init__(
        self, target: RowsSource, auxiliary: Sequence[Labelled], scales: Scales, plan: BatchPlan, seed: int
    ) -> None:
        self._auxiliary, self._scales, self._horizon = auxiliary, scales, plan.horizon
        self._target_rows = Sampler(target.train.rows, plan.target_rows, seed)
        items = [part.source.train.rows for part in auxiliary]
        sizes = [float(len(rows)) for rows in items]
        self._auxiliary_rows = StratifiedSampler(items, sizes, plan.auxiliary_rows, seed + 1)

    def _others(self, step: int) -> list[tuple[Observations, Keypoints, Chunks]]:
        """What each auxiliary source gives to the batch of `step`."""
        drawn = zip(self._auxiliary, self._auxiliary_rows.indices(step), strict=True)
        return [part.at(rows, self._scales, self._horizon) for part, rows in drawn]


class RetargetedBatches(_MixedBatches):
    """Batches of target and auxiliary rows with actions, recorded or retargeted."""

    def __init__(
        self, target: TargetRowsSource, auxiliary: Sequence[Labelled], scales: Scales, plan: BatchPlan, seed: int
    ) -> None:
        super().__init__(target, auxiliary, scales, plan, seed)
        self._target = target

    def __call__(self, step: int) -> ActionBatch:
        """The batch of `step`, target rows first."""
        own = recorded(self._target, self._target_rows.indices(step), self._scales, self._horizon)
        return joined([own, *(ActionBatch(*part) for part in self._others(step))])


class LatentBatches(_MixedBatches):
    """Batches of target and auxiliary rows with latent actions."""

    def __init__(
        self,
        target: tuple[TargetRowsSource, Labelled],
        auxiliary: Sequence[Labelled],
        scales: Scales,
        plan: BatchPlan,
        seed: int,
    ) -> None:
        """`target` is the source, and the same with its latent actions."""
        self._target, self._latents = target
        super().__init__(self._target, auxiliary, scales, plan, seed)

    def __call__(self, step: int) -> LatentBatch:
        """The batch of `step`."""
        rows, scales, horizon = self._target_rows.indices(step), self._scales, self._horizon
        target = LatentRows(*self._latents.at(rows, scales, horizon))
        others = joined([LatentRows(*part) for part in self._others(step)])
        return LatentBatch(target, self._target.actions(rows, scales, horizon), others)


def mask_centroids(masks: NDArray[np.uint8]) -> tuple[Floats, Floats]:
    """Centroid (x, y) of each channel in -1..1 of the picture, and whether enough of it is seen. (N, Y, X, C)."""
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


def recorded(target: TargetRowsSource, rows: Rows, scales: Scales, horizon: int) -> ActionBatch:
    """Rows of the target with the actions that were recorded."""
    return ActionBatch(target.observations(rows, scales), target.keypoints(rows), target.actions(rows, scales, horizon))


def _chunks(values: Floats, rows: ChunkRows) -> Chunks:
    return Chunks(torch.from_numpy(values), torch.from_numpy(rows.is_real))
