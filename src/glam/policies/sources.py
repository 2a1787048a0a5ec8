"""From decoded datasets to policy batches: observations with the chunks that follow them.

Their held-out episodes give the prediction error of a policy: all that can be known without a robot. It does not rank
policies by success: a policy can predict demonstrations worse and succeed more often.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from glam.data.demonstrations import Demonstrations, MixedSampler
from glam.data.normalizer import Normalizer, VectorNormalizer, of_latents
from glam.data.windows import (
    ChunkIndices,
    EpisodeTable,
    FrameIndices,
    LabelledFrames,
    Sampler,
    action_chunks,
    latent_chunks,
    transitions,
)
from glam.policies.batches import ActionBatch, Chunks, Keypoints, LatentBatch, LatentSamples, Observations, joined
from glam.policies.encoders.inputs import ReadInputs, read_images
from glam.policies.trained import Policy
from glam.training.batches import on_device

Floats = NDArray[np.float32]
Sample = tuple[Observations, Keypoints, Chunks]

_LEAST_SEEN = 4.0
"""Visible pixels from which on an object's centroid counts in the keypoint loss."""


def latent_normalizer(latents: Sequence[Floats], tables: Sequence[EpisodeTable]) -> VectorNormalizer:
    """Normalizer of latent actions over all sources together, given one for every frame."""
    return of_latents([values[transitions(table)] for values, table in zip(latents, tables, strict=True)])


@dataclass(frozen=True)
class PolicySource(Demonstrations):
    """One dataset as a source of policy samples."""

    read_inputs: ReadInputs = read_images
    """Reads the encoder inputs of frames."""
    keypoint_size: int = 0
    """Numbers k of the keypoint loss; 0 without that loss. In a set without masks none of them counts."""

    def observations(self, indices: FrameIndices, normalizer: Normalizer) -> Observations:
        """Observations at some frames, without robot state."""
        state = torch.zeros(len(indices), len(normalizer.state.mean))
        return Observations(
            self.read_inputs(self.frames, indices), self._pose(indices, normalizer), state, torch.zeros(len(indices), 1)
        )

    def keypoints(self, indices: FrameIndices) -> Keypoints:
        """Keypoints at some frames."""
        centroids, is_seen = self._centroids
        return Keypoints(torch.from_numpy(centroids[indices]), torch.from_numpy(is_seen[indices]))

    def _pose(self, indices: FrameIndices, normalizer: Normalizer) -> Tensor:
        return torch.from_numpy(normalizer.hands(self.frames.ee_pose[indices], self.frames.ee_tracks[indices]))

    @cached_property
    def _centroids(self) -> tuple[Floats, Floats]:
        """Centroids of all masks and 1 where they count. (N, k) each, k = 2 x objects x views."""
        found = [mask_centroids(masks[:]) for masks in self.frames.masks.values()]
        if not found:
            nothing = np.zeros((len(self.frames), self.keypoint_size), np.float32)
            return nothing, nothing
        return np.concatenate([part[0] for part in found], axis=1), np.concatenate([part[1] for part in found], axis=1)


@dataclass(frozen=True)
class LabelledPolicySource(PolicySource):
    """The labelled dataset as a source of policy samples."""

    frames: LabelledFrames

    def observations(self, indices: FrameIndices, normalizer: Normalizer) -> Observations:
        """Observations at some frames, with robot state."""
        state = torch.from_numpy(normalizer.state.normalize(self.frames.state[indices]))
        return Observations(
            self.read_inputs(self.frames, indices), self._pose(indices, normalizer), state, torch.ones(len(indices), 1)
        )

    def actions(self, indices: FrameIndices, normalizer: Normalizer, chunk_size: int) -> Chunks:
        """Recorded actions from some frames on."""
        found = action_chunks(self.frames.episodes, indices, chunk_size)
        return _chunks(normalizer.action.normalize(self.frames.action[found.frames]), found)


@dataclass(frozen=True)
class RelabelledSource:
    """A source with a label for every transition, latent or retargeted."""

    source: PolicySource
    labels: Floats
    """(N, n) normalized; that of the last frame of an episode is not used."""

    def chunks(self, indices: FrameIndices, chunk_size: int) -> Chunks:
        """Labels from some frames on."""
        found = latent_chunks(self.source.frames.episodes, indices, chunk_size)
        return _chunks(self.labels[found.frames], found)

    def at(
        self, indices: FrameIndices, normalizer: Normalizer, chunk_size: int
    ) -> tuple[Observations, Keypoints, Chunks]:
        """Observations, keypoints and labels at some frames."""
        return (
            self.source.observations(indices, normalizer),
            self.source.keypoints(indices),
            self.chunks(indices, chunk_size),
        )


@dataclass(frozen=True)
class BatchPlan:
    """Sizes of a batch."""

    chunk_size: int
    target_samples: int
    auxiliary_samples: int


class ActionBatches:
    """Batches of labelled samples: a pure function of seed and step."""

    def __init__(
        self, target: LabelledPolicySource, normalizer: Normalizer, chunk_size: int, batch_size: int, seed: int
    ) -> None:
        self._target, self._normalizer, self._chunk_size = target, normalizer, chunk_size
        self._sampler = Sampler(target.train.frame_indices, batch_size, seed)

    def __call__(self, step: int) -> ActionBatch:
        """The batch of `step`."""
        return recorded(self._target, self._sampler.indices(step), self._normalizer, self._chunk_size)


class _MixedBatches:
    """Samples of the target and of auxiliary sources in fixed numbers: a pure function of seed and step."""

    def __init__(
        self,
        target: PolicySource,
        auxiliary: Sequence[RelabelledSource],
        normalizer: Normalizer,
        plan: BatchPlan,
        seed: int,
    ) -> None:
        self._auxiliary, self._normalizer, self._chunk_size = auxiliary, normalizer, plan.chunk_size
        items = [part.source.train.frame_indices for part in auxiliary]
        sizes = plan.target_samples, plan.auxiliary_samples
        self._sampler = MixedSampler(target.train.frame_indices, items, *sizes, seed)

    def _drawn(self, step: int) -> tuple[FrameIndices, list[Sample]]:
        """Frames of the target, and samples of each auxiliary source, in the batch of `step`."""
        own, others = self._sampler.indices(step)
        drawn = zip(self._auxiliary, others, strict=True)
        return own, [part.at(indices, self._normalizer, self._chunk_size) for part, indices in drawn]


class RetargetedBatches(_MixedBatches):
    """Batches of target and auxiliary samples with actions, recorded or retargeted."""

    def __init__(
        self,
        target: LabelledPolicySource,
        auxiliary: Sequence[RelabelledSource],
        normalizer: Normalizer,
        plan: BatchPlan,
        seed: int,
    ) -> None:
        super().__init__(target, auxiliary, normalizer, plan, seed)
        self._target = target

    def __call__(self, step: int) -> ActionBatch:
        """The batch of `step`, target samples first."""
        indices, others = self._drawn(step)
        own = recorded(self._target, indices, self._normalizer, self._chunk_size)
        return joined([own, *(ActionBatch(*part) for part in others)])


class LatentBatches(_MixedBatches):
    """Batches of target and auxiliary samples with latent actions."""

    def __init__(
        self,
        target: tuple[LabelledPolicySource, RelabelledSource],
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
        indices, others = self._drawn(step)
        target = LatentSamples(*self._latents.at(indices, self._normalizer, self._chunk_size))
        actions = self._target.actions(indices, self._normalizer, self._chunk_size)
        return LatentBatch(target, actions, joined([LatentSamples(*part) for part in others]))


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


def recorded(
    target: LabelledPolicySource, indices: FrameIndices, normalizer: Normalizer, chunk_size: int
) -> ActionBatch:
    """Samples of the target with the recorded actions."""
    actions = target.actions(indices, normalizer, chunk_size)
    return ActionBatch(target.observations(indices, normalizer), target.keypoints(indices), actions)


def _chunks(values: Floats, found: ChunkIndices) -> Chunks:
    return Chunks(torch.from_numpy(values), torch.from_numpy(found.is_real))


_AT_ONCE = 64


@dataclass(frozen=True)
class HeldOut:
    """Errors of predicted chunks."""

    action_error: float
    """Mean squared error of all steps of a chunk, in variances of the actions: 1 is that of the mean action."""
    first_action_error: float
    """The same for the first step alone."""
    frames: int
    keypoint_error: float = 0.0
    """Root mean square error of predicted keypoints in pixels; 0 without the keypoint loss."""


@torch.no_grad()
def held_out_error(policy: Policy, target: LabelledPolicySource, normalizer: Normalizer) -> HeldOut:
    """Errors on the target's held-out episodes."""
    indices = target.split.held_out.frame_indices
    device = next(policy.parameters()).device
    errors, weights, missed, visible = [], [], 0.0, 0.0
    for part in np.array_split(indices, -(-len(indices) // _AT_ONCE)):
        batch = on_device(recorded(target, part, normalizer, policy.head.shape[0]), device)
        errors.append(((policy.act(batch.observed) - batch.actions.values) ** 2).mean(-1).cpu())
        weights.append(batch.actions.is_real.float().cpu())
        if not policy.observation.has_keypoints:
            continue
        found, truth = policy.observation.keypoints(batch.observed), batch.keypoints
        missed += float(((found - truth.centroids) ** 2 * truth.is_seen).sum())
        visible += float(truth.is_seen.sum())
    error, weight = torch.cat(errors), torch.cat(weights)
    pixels = (policy.observation.config.encoder.pixels - 1) / 2 * math.sqrt(missed / max(visible, 1.0))
    return HeldOut(float((error * weight).sum() / weight.sum()), float(error[:, 0].mean()), len(indices), pixels)
