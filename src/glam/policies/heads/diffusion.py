"""Diffusion (https://arxiv.org/abs/2006.11239) with deterministic DDIM sampling (https://arxiv.org/abs/2010.02502).

At a time t in 0..1 a chunk x is mixed with noise e: x_t = sqrt(a) x + sqrt(1 - a) e, where a = cos^2(pi t / 2). The
network predicts the clean chunk x from x_t. A sample goes from t = 1 to 0 in equal steps: predict x^, derive e^ from
x_t and x^, and mix both for the next time. It starts at zero, the mean of the noise: deterministic.
"""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from glam.nn.gaussian import Noise
from glam.policies.batches import Chunks
from glam.policies.heads.head import HeadConfig, HeadOutput, PolicyHead, chunk_error, times_like, unweighted


@dataclass(frozen=True)
class DiffusionConfig(HeadConfig):
    """Diffusion that predicts the clean chunk, sampled by DDIM."""

    kind: Literal["diffusion"] = "diffusion"
    steps: int = 10
    """DDIM steps of a sample."""
    draws: int = 2
    """Pairs of noise and time for each training sample; with 2 a training step costs as much as that of `mip`."""

    def build(self, condition: int, entries: int) -> "Diffusion":
        """A new head."""
        return Diffusion(condition, entries, self)


class Diffusion(PolicyHead):
    """A denoiser of chunks."""

    def __init__(self, condition: int, entries: int, config: DiffusionConfig) -> None:
        super().__init__(condition, entries, config)
        self.steps, self.draws = config.steps, config.draws

    def training_forward(self, condition: Tensor, chunks: Chunks, noise: Noise) -> HeadOutput:
        """|x^ - x|^2 at random times; the predictions are x^."""
        truth = chunks.values
        added = torch.cat([noise.normal(*truth.shape) for _ in range(self.draws)])
        time = torch.cat([noise.uniform(len(truth), 1) for _ in range(self.draws)])
        angle = time[..., None] * math.pi / 2
        mixed = angle.cos() * truth.repeat(self.draws, 1, 1) + angle.sin() * added
        found = self.network(condition.repeat(self.draws, 1), mixed, time)
        predictions = unweighted(found.chunk(self.draws))
        return HeadOutput(chunk_error(predictions, truth, chunks.is_real), predictions)

    def sample(self, condition: Tensor) -> Tensor:
        """DDIM steps from the mean of the noise. (B, c) -> (B, H, n)."""
        mixed = condition.new_zeros(len(condition), *self.shape)
        clean = mixed
        for step in range(self.steps, 0, -1):
            time, following = step / self.steps, (step - 1) / self.steps
            clean = self.network(condition, mixed, times_like(condition, time))
            now, then = time * math.pi / 2, following * math.pi / 2
            added = (mixed - math.cos(now) * clean) / math.sin(now)
            mixed = math.cos(then) * clean + math.sin(then) * added
        return clean
