"""Diagonal Gaussians, the posteriors over latent actions, and noise that is the same for one process and several."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional


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


LOG_VARIANCE_RANGE = (-6.0, 2.0)


@dataclass(frozen=True)
class DiagGaussian:
    """Independent normal distributions, one per entry of the last dimension."""

    mean: Tensor
    """(..., d)."""
    log_variance: Tensor
    """(..., d)."""

    @classmethod
    def from_head(cls, head: Tensor, bounds: tuple[float, float] = LOG_VARIANCE_RANGE) -> "DiagGaussian":
        """The distribution from a network output (..., 2 d): means first, then log-variances, kept within `bounds`.

        In at least single precision: a divergence between half-precision distributions is mostly rounding.
        """
        mean, log_variance = head.to(torch.promote_types(head.dtype, torch.float32)).chunk(2, dim=-1)
        return cls(mean, bounded(log_variance, *bounds))

    @property
    def standard_deviation(self) -> Tensor:
        """(..., d)."""
        return (0.5 * self.log_variance).exp()

    def rsample(self, noise: Noise) -> Tensor:
        """One reparameterised sample: the gradient reaches mean and log-variance. (..., d)."""
        drawn = noise.normal(*self.mean.shape).to(self.mean.dtype)
        return self.mean + self.standard_deviation * drawn

    def kl(self, other: "DiagGaussian") -> Tensor:
        """KL divergence from `other`, per dimension. (..., d)."""
        ratio = self.log_variance - other.log_variance
        distance = (self.mean - other.mean) ** 2 * (-other.log_variance).exp()
        return 0.5 * (ratio.exp() + distance - 1.0 - ratio)

    def kl_to_standard(self) -> Tensor:
        """KL divergence from N(0, 1), per dimension. (..., d)."""
        return 0.5 * (self.log_variance.exp() + self.mean**2 - 1.0 - self.log_variance)

    def detach(self) -> "DiagGaussian":
        """The same distribution without a gradient."""
        return DiagGaussian(self.mean.detach(), self.log_variance.detach())

    def __getitem__(self, samples: slice) -> "DiagGaussian":
        """The distributions of some samples of the batch."""
        return DiagGaussian(self.mean[samples], self.log_variance[samples])


def bounded(values: Tensor, low: float, high: float) -> Tensor:
    """Bend `values` smoothly into the range from `low` to `high`, nearly the identity well inside.

    A hard clamp gives no gradient beyond its ends, so a log-variance beyond them could never return.
    """
    return low + functional.softplus(values - low) - functional.softplus(values - high)
