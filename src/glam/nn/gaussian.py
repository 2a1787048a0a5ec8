"""Diagonal Gaussians: the posteriors over latent actions."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from glam.nn.noise import Noise

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
