"""Vector quantisation by noise substitution (NSVQ, https://doi.org/10.1109/ACCESS.2022.3140640).

While training, the error of quantisation is replaced by noise of the same length in a random direction. Encoder and
codebook both get a gradient through that length: no straight-through estimate, no commitment or codebook loss.
"""

import torch
from torch import Tensor, nn

from glam.nn.gaussian import Noise


class NSVQ(nn.Module):
    """A vector of `tokens` x `token_size` numbers; each token is one of `codes` entries of a codebook of its own."""

    codebook: Tensor
    """(tokens, codes, token_size)."""
    usage: Tensor
    """Number of times each code was the nearest since the last replacement. (tokens, codes), int64."""
    squared_error: Tensor
    """Sum of squared distances to each code, over the same vectors as `usage`. (tokens, codes)."""

    def __init__(self, *, tokens: int, token_size: int, codes: int = 8) -> None:
        super().__init__()
        self.codebook = nn.Parameter(torch.randn(tokens, codes, token_size))
        self.register_buffer("usage", torch.zeros(tokens, codes, dtype=torch.int64))
        self.register_buffer("squared_error", torch.zeros(tokens, codes))

    def forward(self, encoded: Tensor, noise: Noise) -> Tensor:
        """`encoded` with quantisation noise, for training; counts the use of codes. (B, tokens * token_size)."""
        vectors = self._tokens(encoded)
        chosen = self._chosen(self._nearest(vectors))
        length = torch.linalg.vector_norm(vectors - self._codes(chosen), dim=-1, keepdim=True)
        if self.training:
            self._count(chosen, length)
        drawn = noise.normal(*vectors.shape).to(vectors.dtype)
        direction = drawn / torch.linalg.vector_norm(drawn, dim=-1, keepdim=True)
        substituted: Tensor = vectors + length * direction
        return substituted.flatten(1)

    def quantise(self, encoded: Tensor) -> Tensor:
        """The nearest codes, for inference. (B, tokens * token_size)."""
        return self._codes(self._chosen(self.indices(encoded))).flatten(1)

    def indices(self, encoded: Tensor) -> Tensor:
        """Index of the nearest code of each token. (B, tokens), int64."""
        return self._nearest(self._tokens(encoded))

    @torch.no_grad()
    def replace_dead_codes(self, generator: torch.Generator, threshold: float = 0.1) -> int:
        """Move each code used less than `threshold` of its fair share into the cell of a used one, and count anew.

        Cells with much error are split first, and a moved code lands as far from the old one as the vectors of that
        cell do: both then win about half of it. Returns how many codes moved. The result depends on the counts and the
        generator alone.
        """
        dead = self.usage < threshold * self.usage.sum(1, keepdim=True) / self.usage.shape[1]
        for token in dead.any(1).nonzero().flatten().tolist():
            self._split_cells(token, dead[token], generator)
        self.usage.zero_()
        self.squared_error.zero_()
        return int(dead.sum())

    def _split_cells(self, token: int, dead: Tensor, generator: torch.Generator) -> None:
        error, usage = self.squared_error[token], self.usage[token]
        # A small part of the usage keeps a cell without any error eligible, so that there is always one to choose.
        priority = (error + 1e-6 * usage).masked_fill(dead, 0.0)
        donors = torch.multinomial(priority, int(dead.sum()), replacement=True, generator=generator)
        size = self.codebook.shape[-1]
        spread = (error[donors] / usage[donors] / size).sqrt().unsqueeze(1)
        drawn = torch.randn(len(donors), size, generator=generator, device=generator.device)
        self.codebook[token, dead] = self.codebook[token, donors] + spread * drawn

    @torch.no_grad()
    def _count(self, chosen: Tensor, length: Tensor) -> None:
        self.usage += chosen.sum(0)
        self.squared_error += (chosen * length**2).sum(0)

    def _tokens(self, encoded: Tensor) -> Tensor:
        tokens, _, size = self.codebook.shape
        return encoded.reshape(len(encoded), tokens, size)

    def _nearest(self, vectors: Tensor) -> Tensor:
        distances = (vectors.detach().unsqueeze(2) - self.codebook.detach()).square().sum(-1)  # (B, tokens, codes)
        return distances.argmin(-1)

    def _chosen(self, indices: Tensor) -> Tensor:
        return nn.functional.one_hot(indices, self.codebook.shape[1])  # (B, tokens, codes)

    def _codes(self, chosen: Tensor) -> Tensor:
        # A product with ones and zeros is exact, and its gradient adds up in a fixed order; that of indexing does not.
        return torch.einsum("btk,tkd->btd", chosen.to(self.codebook.dtype), self.codebook)
