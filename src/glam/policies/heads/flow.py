"""Flow matching (https://arxiv.org/abs/2210.02747): a velocity field carries noise into chunks along straight lines.

With noise x_0, chunk x_1 and a time t in 0..1, the network is given x_t = (1 - t) x_0 + t x_1 and predicts the velocity
v = x_1 - x_0; so x_t + (1 - t) v^ is its prediction of the clean chunk. A sample integrates v^ from t = 0 to 1 by Euler
steps, starting at zero, the mean of the noise: deterministic.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from glam.nn.gaussian import Noise
from glam.policies.batches import Chunks
from glam.policies.heads.head import HeadConfig, HeadOutput, PolicyHead, chunk_error, times_like, unweighted


@dataclass(frozen=True)
class FlowConfig(HeadConfig):
    """Flow matching with a few Euler steps."""

    kind: Literal["flow"] = "flow"
    steps: int = 5
    """Euler steps of a sample."""
    draws: int = 2
    """Pairs of noise and time for each training sample; with 2 a training step costs as much as that of `mip`."""

    def build(self, condition: int, entries: int) -> "Flow":
        """A new head."""
        return Flow(condition, entries, self)


class Flow(PolicyHead):
    """A velocity field over chunks."""

    def __init__(self, condition: int, entries: int, config: FlowConfig) -> None:
        super().__init__(condition, entries, config)
        self.steps, self.draws = config.steps, config.draws

    def training_forward(self, condition: Tensor, chunks: Chunks, noise: Noise) -> HeadOutput:
        """|v^ - v|^2 at random times; the predictions are the end points of straight lines."""
        truth = chunks.values
        start = torch.cat([noise.normal(*truth.shape) for _ in range(self.draws)])
        time = torch.cat([noise.uniform(len(truth), 1) for _ in range(self.draws)])
        velocity = truth.repeat(self.draws, 1, 1) - start
        between = start + time[..., None] * velocity
        found = self.network(condition.repeat(self.draws, 1), between, time)
        ends = between + (1.0 - time[..., None]) * found
        errors = unweighted((found - velocity).chunk(self.draws))
        loss = chunk_error(errors, torch.zeros_like(truth), chunks.is_real)
        return HeadOutput(loss, unweighted(ends.chunk(self.draws)))

    def sample(self, condition: Tensor) -> Tensor:
        """Euler steps of equal length from the mean of the noise. (B, c) -> (B, H, n)."""
        chunk = condition.new_zeros(len(condition), *self.shape)
        for step in range(self.steps):
            chunk = chunk + self.network(condition, chunk, times_like(condition, step / self.steps)) / self.steps
        return chunk
