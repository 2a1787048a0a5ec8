"""Random numbers for the rows of a batch, the same whether one process holds all rows or several share them."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor


@dataclass(frozen=True)
class Noise:
    """A stream of random numbers for this process's share of the rows.

    Every draw is made for the rows of all processes and this one's share is cut out, so sharing a batch changes no
    number. It holds when the rows of a draw are cut in the same way as the batch: rows that are several tensors of the
    batch, one after the other, are drawn with `over`, and what all rows have in common with `alike`.
    """

    generator: torch.Generator
    share: int = 0
    """Which share of the rows is this process's."""
    shares: int = 1
    parts: tuple[int, ...] = ()
    """Of how many rows each, one after the other, the rows of a draw consist; empty when they are of one piece."""

    @classmethod
    def seeded(cls, seed: int, device: torch.device | str = "cpu") -> "Noise":
        """All rows, on `device`, from a new stream."""
        return cls(torch.Generator(device).manual_seed(seed))

    def normal(self, rows: int, *shape: int) -> Tensor:
        """Standard normal numbers. (rows, *shape)."""
        return self._own(torch.randn(rows * self.shares, *shape, generator=self.generator, device=self._device), rows)

    def uniform(self, rows: int, *shape: int) -> Tensor:
        """Uniform numbers in [0, 1). (rows, *shape)."""
        return self._own(torch.rand(rows * self.shares, *shape, generator=self.generator, device=self._device), rows)

    def integers(self, end: int, rows: int, *shape: int) -> Tensor:
        """Uniform integers in [0, end). (rows, *shape), int64."""
        size = (rows * self.shares, *shape)
        return self._own(torch.randint(end, size, generator=self.generator, device=self._device), rows)

    def over(self, *parts: int) -> "Noise":
        """The same stream, for rows that are tensors of so many rows each, which processes share one by one."""
        return replace(self, parts=parts)

    @property
    def alike(self) -> "Noise":
        """The same stream, with the same numbers in every process."""
        return Noise(self.generator)

    @property
    def _device(self) -> torch.device:
        return self.generator.device

    def _own(self, values: Tensor, rows: int) -> Tensor:
        pieces = torch.split(values, [part * self.shares for part in self.parts or (rows,)])
        own = [piece.chunk(self.shares)[self.share] for piece in pieces]
        return own[0] if len(own) == 1 else torch.cat(own)
