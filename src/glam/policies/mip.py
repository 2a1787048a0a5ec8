"""MIP: a policy that regresses a chunk in two supervised steps.

Step 0 predicts the chunk from the observation alone. Step 1 is taught to improve a noisy chunk (t* = 0.9: the truth
plus noise of 0.1), and at run time is given step 0's answer. Both are deterministic when acting. Targets must be of
order one, for the noise to mean anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from glam.nn.linear import Linear
from glam.nn.noise import Noise

T_STAR = 0.9


@dataclass(frozen=True)
class MipConfig:
    """Size of the head; the defaults are the paper's."""

    chunk_size: int = 20
    """Steps H of a chunk."""
    layers: int = 10
    hidden: int = 256


class Steps(NamedTuple):
    """Predicted chunks of both steps, (B, H, n) each."""

    first: Tensor
    second: Tensor


class Mip(nn.Module):
    """pi(chunk | condition): 10 residual layers of LayerNorm + Mish."""

    def __init__(self, condition: int, entries: int, config: MipConfig) -> None:
        super().__init__()
        self.shape = (config.chunk_size, entries)
        flat = config.chunk_size * entries
        self.enter = Linear(condition + flat + 1, config.hidden)
        self.layers = nn.ModuleList(_Layer(config.hidden) for _ in range(config.layers))
        self.leave = Linear(config.hidden, flat)

    def forward(self, condition: Tensor, chunk: Tensor, time: Tensor) -> Tensor:
        """One pass at time 0 or t*. (B, c), (B, H, n), (B, 1) -> (B, H, n)."""
        features = self.enter(torch.cat([condition, chunk.flatten(1), time], dim=-1))
        for layer in self.layers:
            features = layer(features)
        out: Tensor = self.leave(features).view(-1, *self.shape)
        return out

    def teach(self, condition: Tensor, truth: Tensor, noise: Noise) -> Steps:
        """Predictions of both steps while training: step 1 sees the truth plus noise, never step 0's answer."""
        noisy = truth + (1.0 - T_STAR) * noise.normal(*truth.shape)
        chunks = torch.cat([torch.zeros_like(truth), noisy])
        times = torch.cat([_clock(condition, 0.0), _clock(condition, T_STAR)])
        first, second = self(condition.repeat(2, 1), chunks, times).chunk(2)  # one pass for both is cheaper than two
        return Steps(first, second)

    def act(self, condition: Tensor) -> Tensor:
        """The chunk to execute: step 1 applied to step 0's answer. (B, c) -> (B, H, n)."""
        blank = condition.new_zeros(len(condition), *self.shape)
        first = self(condition, blank, _clock(condition, 0.0))
        out: Tensor = self(condition, first, _clock(condition, T_STAR))
        return out


class _Layer(nn.Module):
    """Linear -> LayerNorm -> Mish, added to what came in."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.branch = nn.Sequential(Linear(size, size), nn.LayerNorm(size), nn.Mish())

    def forward(self, features: Tensor) -> Tensor:
        out: Tensor = features + self.branch(features)
        return out


def _clock(condition: Tensor, time: float) -> Tensor:
    return condition.new_full((len(condition), 1), time)


def chunk_error(steps: Sequence[Tensor], truth: Tensor, is_real: Tensor) -> Tensor:
    """Squared error of all steps, equally weighted, where the chunk is real. (B, H, n), (B, H) -> scalar."""
    error = sum(((step - truth) ** 2).mean(-1) for step in steps)
    weight = is_real.to(truth.dtype)
    total: Tensor = (error * weight).sum() / weight.sum().clamp_min(1.0)
    return total
