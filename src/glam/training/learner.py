"""Learners: modules that turn a batch into named losses, which `fit` trains."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import torch
from torch import Tensor, nn

from glam.core.errors import GlamError
from glam.nn.gaussian import Noise

BatchT = TypeVar("BatchT")


@dataclass(frozen=True)
class StepContext:
    """Progress of a training, and the random numbers of a step."""

    step: int
    """Steps taken before this one."""
    steps: int
    """Total number of steps."""
    noise: Noise
    """A pure function of seed and step, so that an interrupted run resumes with the same numbers."""

    def ramp(self, fraction: float) -> float:
        """Rises linearly from 0 to 1 over the first `fraction` of the steps; 1 from the start if it is 0."""
        return min(1.0, self.step / (fraction * self.steps)) if fraction > 0 else 1.0


class Learner(nn.Module, ABC, Generic[BatchT]):
    """A module that `fit` can train.

    When several processes share a batch, each computes its losses on an equal share of the samples, and gradients and
    losses are averaged. So each loss must be a mean over samples. Buffers that `losses` changes are counters: the
    changes of all processes are added up.
    """

    weights: Mapping[str, float]
    """Weight of each loss in the objective; the same keys as `losses`."""

    @abstractmethod
    def losses(self, batch: BatchT, context: StepContext) -> dict[str, Tensor]:
        """The scalar terms of the objective, unweighted, by name."""

    def after_step(self, context: StepContext) -> None:
        """Change the module after a step, without a gradient; the noise is the same in all processes."""


class LossTermsError(GlamError):
    """Losses and weights of a learner do not have the same names."""


def weighted_sum(terms: Mapping[str, Tensor], weights: Mapping[str, float]) -> Tensor:
    """The objective; terms and weights must have the same names, so that none is left out by mistake."""
    if terms.keys() != weights.keys():
        raise LossTermsError(f"loss terms {sorted(terms)} but weights {sorted(weights)}")
    for name, term in terms.items():
        if term.ndim:
            raise LossTermsError(f"loss term {name!r} has shape {tuple(term.shape)} but must be a scalar")
    stacked = torch.stack(list(terms.values()))
    return torch.dot(stacked, stacked.new_tensor([weights[name] for name in terms]))
