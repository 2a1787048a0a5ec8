"""The interface that every policy head implements, and the residual network that heads share.

A head models chunks of actions or latent actions given the condition c_t. For training it returns its own loss and its
predictions of the clean chunk: a latent policy decodes these into actions, whichever head made them. `sample` must be
deterministic, so that evaluations can be repeated.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from glam.nn.gaussian import Noise
from glam.nn.layers import Linear
from glam.policies.batches import Chunks


@dataclass(frozen=True)
class HeadConfig(ABC):
    """Settings that every head has; the defaults are the paper's."""

    kind: str = ""
    chunk_size: int = 20
    """Steps H of a chunk."""
    layers: int = 10
    """Residual layers of the network."""
    hidden: int = 256

    @abstractmethod
    def build(self, condition: int, entries: int) -> "PolicyHead":
        """A new head: conditions of size `condition`, chunks with `entries` numbers in each step."""


class Prediction(NamedTuple):
    """A prediction of the clean chunk."""

    chunk: Tensor
    """(B, H, n)."""
    weight: Tensor
    """Weight of each sample's error. (B, 1)."""


class HeadOutput(NamedTuple):
    """Result of a head's training pass."""

    loss: Tensor
    """The head's own loss, a mean over the real steps."""
    predictions: tuple[Prediction, ...]


class PolicyHead(nn.Module, ABC):
    """A model of chunks given the condition c_t."""

    def __init__(self, condition: int, entries: int, config: HeadConfig) -> None:
        super().__init__()
        self.shape = (config.chunk_size, entries)
        self.network = ChunkNetwork(condition, self.shape, config)

    @abstractmethod
    def training_forward(self, condition: Tensor, chunks: Chunks, noise: Noise) -> HeadOutput:
        """Loss and predictions, with all random numbers from `noise`. (B, c)."""

    @abstractmethod
    def sample(self, condition: Tensor) -> Tensor:
        """The chunk to execute: always the same one for the same condition. (B, c) -> (B, H, n)."""


class ChunkNetwork(nn.Module):
    """(condition, chunk, time) -> chunk: residual layers of Linear, LayerNorm and Mish."""

    def __init__(self, condition: int, shape: tuple[int, int], config: HeadConfig) -> None:
        super().__init__()
        self.shape = shape
        flat = shape[0] * shape[1]
        self.enter = Linear(condition + flat + 1, config.hidden)
        self.layers = nn.ModuleList(_Layer(config.hidden) for _ in range(config.layers))
        self.leave = Linear(config.hidden, flat)

    def forward(self, condition: Tensor, chunk: Tensor, time: Tensor) -> Tensor:
        """(B, c), (B, H, n), (B, 1) -> (B, H, n)."""
        features = self.enter(torch.cat([condition, chunk.flatten(1), time], dim=-1))
        for layer in self.layers:
            features = layer(features)
        return self.leave(features).view(-1, *self.shape)


class _Layer(nn.Module):
    """Linear -> LayerNorm -> Mish, with a residual connection."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.branch = nn.Sequential(Linear(size, size), nn.LayerNorm(size), nn.Mish())

    def forward(self, features: Tensor) -> Tensor:
        return features + self.branch(features)


def times_like(condition: Tensor, time: float) -> Tensor:
    """The same time for every sample. (B, 1)."""
    return condition.new_full((len(condition), 1), time)


def unweighted(chunks: Sequence[Tensor]) -> tuple[Prediction, ...]:
    """Predictions that all count alike."""
    return tuple(Prediction(chunk, chunk.new_ones(len(chunk), 1)) for chunk in chunks)


def chunk_error(predictions: Sequence[Prediction], truth: Tensor, is_real: Tensor) -> Tensor:
    """Squared error summed over predictions, averaged over the real steps. (B, H, n), (B, H) -> scalar."""
    error = sum(part.weight * ((part.chunk - truth) ** 2).mean(-1) for part in predictions)
    weight = is_real.to(truth.dtype)
    return (error * weight).sum() / weight.sum().clamp_min(1.0)
