"""What `fit` trains: a module that turns a batch into named losses."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import torch
from torch import Tensor, nn

from glam.core.errors import GlamError
from glam.nn.noise import Noise

BatchT = TypeVar("BatchT")


@dataclass(frozen=True)
class StepContext:
    """Where training stands, and the random numbers of this step."""

    step: int
    """Steps taken before this one."""
    steps: int
    """Steps in all."""
    noise: Noise
    """A pure function of seed and step, so that an interrupted run goes on with the same numbers."""

    def ramp(self, share: float) -> float:
        """Rises linearly from 0 to 1 over the first `share` of the steps; 1 from the start when `share` is 0."""
        return min(1.0, self.step / (share * self.steps)) if share > 0 else 1.0


class Learner(nn.Module, ABC, Generic[BatchT]):
    """A module that `fit` can train.

    When several processes share a batch, each computes its losses on an equal share of the rows, and gradients and
    losses are averaged: so a loss is a mean over rows. Buffers that `losses` changes are counters: what each process
    adds is added up.
    """

    weights: Mapping[str, float]
    """Weight of each loss in the objective; the same keys as `losses`."""

    @abstractmethod
    def losses(self, batch: BatchT, context: StepContext) -> dict[str, Tensor]:
        """The scalar terms of the objective, unweighted, by name."""

    def after_step(self, context: StepContext) -> None:
        """What is done to the module after each step without a gradient; its noise is equal in all processes."""


class LossTermsError(GlamError):
    """The losses of a learner do not fit its weights."""


def weighted_sum(terms: Mapping[str, Tensor], weights: Mapping[str, float]) -> Tensor:
    """The objective; terms and weights must have the same names, so that none is forgotten in silence."""
    if terms.keys() != weights.keys():
        raise LossTermsError(f"loss terms {sorted(terms)} but weights {sorted(weights)}")
    for name, term in terms.items():
        if term.ndim:
            raise LossTermsError(f"loss term {name!r} has shape {tuple(term.shape)} but must be a scalar")
    stacked = torch.stack(list(terms.values()))
    return torch.dot(stacked, stacked.new_tensor([weights[name] for name in terms]))
