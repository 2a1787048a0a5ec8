"""Batches of policies. Samples of the target have actions; those of auxiliary sources do not.

Images are augmented at random in training: color jitter and shifts.

Dimension key: B samples, V views, H steps of a chunk, d latent entries, p, n_s, n_a pose, state and action entries,
k mask centroids (two numbers for each object and view).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor

from glam.nn.gaussian import Noise


@dataclass(frozen=True)
class Observations:
    """Inputs of a policy."""

    encoder_inputs: Tensor
    """Images, (B, V, 3, Y, X) in 0..1; for a frozen backbone its features of each view, (B, V, f)."""
    pose: Tensor
    """(B, p) normalized poses and tracks, with flags for what may be unknown; see `glam.data.normalizer`."""
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


def color_jitter(images: Tensor, jitter: float, noise: Noise) -> Tensor:
    """Brightness and each colour times up to 1 +- `jitter`, differently in each view. (B, V, 3, Y, X)."""
    samples, views = images.shape[:2]
    gain = 1.0 + jitter * (2.0 * noise.uniform(samples, views, 3, 1, 1) - 1.0)
    brightness = 1.0 + jitter * (2.0 * noise.uniform(samples, views, 1, 1, 1) - 1.0)
    return (images * (gain * brightness)).clamp_(0.0, 1.0)  # images are large: two passes over them are enough


class Shifted(NamedTuple):
    """Shifted images."""

    images: Tensor
    """(B, V, 3, Y, X)."""
    moves: Tensor
    """Shift of each view in units of half the image's side: x and y. (B, V, 2)."""


def random_shift(images: Tensor, most: int, noise: Noise) -> Shifted:
    """Each view shifted by up to `most` whole pixels in each direction, padded by repeating the edge."""
    samples, views, colours, height, width = images.shape
    moves = noise.integers(2 * most + 1, samples, views, 2) - most  # (B, V, 2)
    across, down = moves.flatten(0, 1).unbind(-1)
    columns = (torch.arange(width, device=moves.device) - across[:, None]).clamp(0, width - 1)  # each one's origin
    lines = (torch.arange(height, device=moves.device) - down[:, None]).clamp(0, height - 1)
    first = torch.arange(samples * views, device=moves.device)[:, None, None] * height * width
    origins = first + lines[:, :, None] * width + columns[:, None, :]  # (B V, Y, X)
    pixels = images.movedim(2, -1).reshape(-1, colours)  # as they lie in memory
    moved = pixels.index_select(0, origins.flatten()).view(samples, views, height, width, colours).movedim(-1, 2)
    sides = torch.tensor([width - 1, height - 1], device=moves.device)
    return Shifted(moved, 2.0 * moves / sides)
