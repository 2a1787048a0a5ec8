"""Vectors that say which of their entries are known.

Such a vector ends with flags, one for each group of entries before them: 1 where the group is known. Entries of a group
that is not known are 0. Entries before the groups are always known. Without groups it is a plain vector.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Flagged:
    """Layout of such vectors."""

    groups: tuple[int, ...] = ()
    """Number of entries of each group."""

    def known(self, vectors: Tensor) -> Tensor:
        """1 for each entry that is known, 0 for the others and for the flags. (..., n) -> (..., n)."""
        count = len(self.groups)
        if not count:
            return torch.ones_like(vectors)
        flags = vectors[..., -count:]
        always = vectors.shape[-1] - count - sum(self.groups)
        return torch.cat([flags.new_ones(*flags.shape[:-1], always), self._spread(flags), 0.0 * flags], dim=-1)

    def kept(self, vectors: Tensor, keeps: Tensor) -> Tensor:
        """The vectors without the groups whose entry of `keeps`, (..., g), is 0."""
        count = len(self.groups)
        if not count:
            return vectors
        always = vectors.shape[-1] - count - sum(self.groups)
        keeps = keeps.to(vectors.dtype).expand(*vectors.shape[:-1], count)
        ones = keeps.new_ones(*keeps.shape[:-1], always)
        return vectors * torch.cat([ones, self._spread(keeps), keeps], dim=-1)

    def _spread(self, flags: Tensor) -> Tensor:
        """One number for each group -> one for each of its entries."""
        return flags.repeat_interleave(torch.tensor(self.groups, device=flags.device), dim=-1)
