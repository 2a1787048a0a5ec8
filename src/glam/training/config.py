"""Settings of a training, for any learner."""

from dataclasses import dataclass
from typing import Literal

from glam.core.errors import GlamError

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
