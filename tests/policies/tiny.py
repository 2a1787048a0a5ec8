"""Small policies and batches for tests."""

import torch

from glam.policies.batches import ActionBatch, Chunks, Keypoints, LatentBatch, LatentSamples, Observations
from glam.policies.encoders.cnn import CnnConfig
from glam.policies.heads.mip import MipConfig
from glam.policies.observation import ObservationConfig, ObservationSizes

OBSERVATION = ObservationConfig(encoder=CnnConfig(pixels=16, widths=(4, 4), points=8, hidden=16, code=8))
HEAD = MipConfig(chunk_size=5, layers=2, hidden=32)
SIZES = ObservationSizes(views=2, pose=10, state=8, keypoints=8)


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def observations(rows: int = 6, seed: int = 0, has_state: float = 1.0) -> Observations:
    images = normal(rows, 2, 3, 16, 16, seed=seed).sigmoid()
    state = normal(rows, 8, seed=seed + 1)
    return Observations(images, normal(rows, 10, seed=seed + 2), state, torch.full((rows, 1), has_state))


def keypoints(rows: int = 6, seed: int = 0) -> Keypoints:
    return Keypoints(normal(rows, 8, seed=seed + 3).tanh(), torch.ones(rows, 8))


def chunks(rows: int = 6, entries: int = 8, seed: int = 0) -> Chunks:
    return Chunks(normal(rows, 5, entries, seed=seed + 4), torch.ones(rows, 5, dtype=torch.bool))


def action_batch(seed: int = 0) -> ActionBatch:
    return ActionBatch(observations(seed=seed), keypoints(seed=seed), chunks(seed=seed))


def latent_batch(seed: int = 0) -> LatentBatch:
    """Six rows of the target, and as many of an auxiliary source."""
    return with_auxiliary(seed, seed + 20)


def with_auxiliary(seed: int, other: int) -> LatentBatch:
    target = LatentSamples(observations(seed=seed), keypoints(seed=seed), chunks(seed=seed))
    auxiliary = LatentSamples(observations(seed=other, has_state=0.0), keypoints(seed=other), chunks(seed=other))
    return LatentBatch(target, chunks(seed=seed + 10), auxiliary)
