"""Random numbers for the samples of a batch, the same whether one process or several hold the batch."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor


@dataclass(frozen=True)
class Noise:
    """A stream of random numbers for this process's share of a batch.

    Every draw is made for the samples of all processes, and this process's share is cut out, so sharing a batch changes
    no number. This requires that a draw is cut in the same way as the batch. For samples that are several tensors of
    the batch, one after the other, draw with `over`; for numbers that all samples have in common, draw with `alike`.
    """

    generator: torch.Generator
    share: int = 0
    """Number of this process's share."""
    shares: int = 1
    parts: tuple[int, ...] = ()
    """Sizes of the tensors that the samples of a draw come from, one after the other; empty if from one tensor."""

    @classmethod
    def seeded(cls, seed: int, device: torch.device | str = "cpu") -> "Noise":
        """A new stream for a whole batch, on `device`."""
        return cls(torch.Generator(device).manual_seed(seed))

    def normal(self, batch_size: int, *shape: int) -> Tensor:
        """Standard normal numbers. (batch_size, *shape)."""
        return self._own(
            torch.randn(batch_size * self.shares, *shape, generator=self.generator, device=self._device), batch_size
        )

    def uniform(self, batch_size: int, *shape: int) -> Tensor:
        """Uniform numbers in [0, 1). (batch_size, *shape)."""
        return self._own(
            torch.rand(batch_size * self.shares, *shape, generator=self.generator, device=self._device), batch_size
        )

    def integers(self, end: int, batch_size: int, *shape: int) -> Tensor:
        """Uniform integers in [0, end). (batch_size, *shape), int64."""
        size = (batch_size * self.shares, *shape)
        return self._own(torch.randint(end, size, generator=self.generator, device=self._device), batch_size)

    def over(self, *parts: int) -> "Noise":
        """The same stream, for samples from several tensors of these sizes, each of which the processes share."""
        return replace(self, parts=parts)

    @property
    def alike(self) -> "Noise":
        """The same stream, with the same numbers in every process."""
        return Noise(self.generator)

    @property
    def _device(self) -> torch.device:
        return self.generator.device

    def _own(self, values: Tensor, batch_size: int) -> Tensor:
        pieces = torch.split(values, [part * self.shares for part in self.parts or (batch_size,)])
        own = [piece.chunk(self.shares)[self.share] for piece in pieces]
        return own[0] if len(own) == 1 else torch.cat(own)
