"""Batches of policies. Samples of the target have actions; those of auxiliary sources do not.

Dimension key: B samples, V views, H steps of a chunk, d latent entries, p, n_s, n_a pose, state and action entries,
k mask centroids (two numbers for each object and view).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor


@dataclass(frozen=True)
class Observations:
    """Inputs of a policy."""

    encoder_inputs: Tensor
    """Images, (B, V, 3, Y, X) in 0..1; for a frozen backbone its features of each view, (B, V, f)."""
    pose: Tensor
    """(B, p) normalized."""
    state: Tensor
    """(B, n_s) normalized; zero where there is none."""
    has_state: Tensor
    """(B, 1): 1 where `state` is known."""


@dataclass(frozen=True)
class Keypoints:
    """Positions of the objects in the images, for the auxiliary keypoint loss; in training only."""

    centroids: Tensor
    """(B, k) in -1..1 of the image."""
    is_seen: Tensor
    """(B, k): 1 where enough of the object is visible."""


@dataclass(frozen=True)
class Chunks:
    """Chunks of actions or latent actions that begin at each sample."""

    values: Tensor
    """(B, H, n) normalized."""
    is_real: Tensor
    """(B, H): 0 beyond the end of the episode."""

    def at(self, steps: Tensor) -> "Chunks":
        """Some of the steps."""
        return Chunks(self.values[:, steps], self.is_real[:, steps])


@dataclass(frozen=True)
class ActionBatch:
    """Samples with actions, for a policy that predicts them directly."""

    observed: Observations
    keypoints: Keypoints
    actions: Chunks


@dataclass(frozen=True)
class LatentSamples:
    """Samples of any source, relabelled with latent actions."""

    observed: Observations
    keypoints: Keypoints
    latents: Chunks


@dataclass(frozen=True)
class LatentBatch:
    """Samples of the target and of auxiliary sources, for a policy that predicts latent actions."""

    target: LatentSamples
    actions: Chunks
    """Actions of the target's samples."""
    auxiliary: LatentSamples

    @property
    def parts(self) -> tuple[int, int]:
        """Numbers of target and auxiliary samples."""
        return len(self.actions.values), len(self.auxiliary.latents.values)

    def every(self) -> LatentSamples:
        """All samples, the target's first."""
        return joined([self.target, self.auxiliary])


Part = TypeVar("Part", ActionBatch, LatentSamples)


def joined(parts: Sequence[Part]) -> Part:
    """All samples of several sources, one after the other."""
    if len(parts) == 1:
        return parts[0]
    fields = zip(*(vars(part).values() for part in parts), strict=True)
    return type(parts[0])(*(_stacked(records) for records in fields))


def _stacked(records: Sequence[Any]) -> Any:
    """One record of tensors from several of the same type."""
    columns = zip(*(vars(record).values() for record in records), strict=True)
    return type(records[0])(*(torch.cat(column) for column in columns))
