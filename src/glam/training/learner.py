"""Learners: modules that turn a batch into named losses, which `fit` trains, and the settings of such a training."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import torch
from torch import Tensor, nn

from glam.core.errors import GlamError
from glam.nn.gaussian import Noise

Schedule = Literal["one-cycle", "cosine", "constant"]
Precision = Literal["fp32", "bf16", "fp16"]


@dataclass(frozen=True)
class FitConfig:
    """Optimisation, intervals and machine; the content of a batch is configured elsewhere.

    Two runs with equal configs, data and versions have bit-identical weights on the same machine, however often either
    was interrupted. The thread count is part of it: sums are split by thread, and rounding depends on the split.
    """

    steps: int = 3000
    """Total number of gradient steps."""
    learning_rate: float = 1e-3
    """Peak of the learning rate."""
    weight_decay: float = 1e-4
    """Weight decay of weight matrices; biases and gains are not decayed."""
    schedule: Schedule = "one-cycle"
    """one-cycle: cosine up from 1/25 of the peak, cosine down to nearly zero; cosine: linear up, cosine to zero."""
    warmup: float = 0.1
    """Fraction of the steps in which the learning rate rises; `constant` then stays at the peak."""
    grad_clip: float = 10.0
    """Largest norm of the gradient (2-norm over all parameters); 0 for no clipping."""
    ema_decay: float = 0.0
    """Decay of the moving average of the weights, which is the result; with 0 the result is the weights themselves."""
    log_every: int = 50
    """Steps between two lines of metrics."""
    save_every: int = 500
    """Steps between two checkpoints: what an interruption can cost."""
    validate_every: int = 500
    """Steps between two validations; 0 validates at the end only."""
    seed: int = 0
    threads: int = 2
    """CPU threads; on a busy machine one is faster than two."""
    device: str = "cpu"
    """As torch names it: cpu, cuda, cuda:1."""
    precision: Precision = "fp32"
    """bf16 and fp16 use automatic mixed precision, on a GPU only."""

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        for name in ("steps", "log_every", "save_every", "threads"):
            self._require(name, is_met=getattr(self, name) >= 1, allowed="at least 1")
        for name in ("weight_decay", "grad_clip", "validate_every"):
            self._require(name, is_met=getattr(self, name) >= 0, allowed="at least 0")
        self._require("learning_rate", is_met=0 < self.learning_rate < float("inf"), allowed="positive")
        self._require("warmup", is_met=0 <= self.warmup <= 1, allowed="between 0 and 1")
        self._require("ema_decay", is_met=0 <= self.ema_decay < 1, allowed="at least 0 and below 1")
        if self.precision != "fp32" and self.device.startswith("cpu"):
            raise GlamError(f"precision {self.precision} needs a GPU; on device {self.device} choose fp32")

    def _require(self, name: str, *, is_met: bool, allowed: str) -> None:
        if not is_met:
            raise GlamError(f"{name.replace('_', '-')} is {getattr(self, name)}; it must be {allowed}")


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
