"""MIP: a chunk is regressed in two supervised passes.

The first predicts the chunk from the condition alone. The second is trained to improve a noisy chunk (t* = 0.9: the
truth plus noise of 0.1), and refines the first one's prediction when the policy acts. Chunks must be normalized,
for the noise to mean anything.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from glam.nn.gaussian import Noise
from glam.policies.batches import Chunks
from glam.policies.heads.head import HeadConfig, HeadOutput, PolicyHead, chunk_error, times_like, unweighted

T_STAR = 0.9


@dataclass(frozen=True)
class MipConfig(HeadConfig):
    """The paper's head."""

    kind: Literal["mip"] = "mip"

    def build(self, condition: int, entries: int) -> "Mip":
        """A new head."""
        return Mip(condition, entries, self)


class Mip(PolicyHead):
    """Two passes of one network, at the times 0 and t*."""

    def training_forward(self, condition: Tensor, chunks: Chunks, noise: Noise) -> HeadOutput:
        """Predictions of both passes; the second is given the truth plus noise, never the first one's prediction."""
        truth = chunks.values
        noisy = truth + (1.0 - T_STAR) * noise.normal(*truth.shape)
        inputs = torch.cat([torch.zeros_like(truth), noisy])
        times = torch.cat([times_like(condition, 0.0), times_like(condition, T_STAR)])
        both = self.network(condition.repeat(2, 1), inputs, times)  # one call for both passes is cheaper than two
        predictions = unweighted(both.chunk(2))
        return HeadOutput(chunk_error(predictions, truth, chunks.is_real), predictions)

    def sample(self, condition: Tensor) -> Tensor:
        """The second pass applied to the first one's prediction. (B, c) -> (B, H, n)."""
        blank = condition.new_zeros(len(condition), *self.shape)
        first = self.network(condition, blank, times_like(condition, 0.0))
        return self.network(condition, first, times_like(condition, T_STAR))
