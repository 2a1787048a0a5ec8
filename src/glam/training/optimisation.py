"""AdamW, its learning rate as a function of the step, and gradients that are finite or stop the run."""

import math

import torch
from torch import Tensor, nn
from torch.nn.utils import get_total_norm
from torch.optim import AdamW, Optimizer

from glam.core.errors import GlamError
from glam.training.config import FitConfig

ONE_CYCLE_START = 1 / 25
ONE_CYCLE_END = ONE_CYCLE_START * 1e-4
_LEAST_NORM = 1e-6


class NonFiniteError(GlamError):
    """A NaN or an infinity: training stops in the same step, and the last checkpoint stays."""


def make_optimiser(module: nn.Module, config: FitConfig) -> AdamW:
    """AdamW over the parameters that want a gradient; one kernel for all of them where the device has it."""
    wanted = [parameter for parameter in module.parameters() if parameter.requires_grad]
    groups = [
        {"params": [parameter for parameter in wanted if parameter.ndim >= 2], "weight_decay": config.weight_decay},
        {"params": [parameter for parameter in wanted if parameter.ndim < 2], "weight_decay": 0.0},
    ]
    is_fused = all(parameter.device.type in {"cpu", "cuda"} for parameter in wanted)
    return AdamW(groups, lr=config.learning_rate, fused=is_fused)


def learning_rate(config: FitConfig, step: int) -> float:
    """The learning rate of a step."""
    rising = config.warmup * config.steps
    if step < rising:
        return config.learning_rate * _rise(config, min(1.0, (step + 1) / rising))
    falling = config.steps - rising
    return config.learning_rate * _fall(config, (step - rising) / falling)


def _rise(config: FitConfig, progress: float) -> float:
    if config.schedule == "one-cycle":
        return _cosine(ONE_CYCLE_START, 1.0, progress)
    return progress


def _fall(config: FitConfig, progress: float) -> float:
    ends = {"one-cycle": ONE_CYCLE_END, "cosine": 0.0, "constant": 1.0}
    return _cosine(1.0, ends[config.schedule], progress)


def _cosine(start: float, end: float, progress: float) -> float:
    return end + (start - end) * 0.5 * (1.0 + math.cos(math.pi * progress))


def gradients_of(optimiser: Optimizer) -> list[Tensor]:
    """Gradients of all trained parameters; ten times as fast as through the module."""
    parameters = (parameter for group in optimiser.param_groups for parameter in group["params"])
    return [parameter.grad for parameter in parameters if parameter.grad is not None]


def clip_gradients(gradients: list[Tensor], longest: float) -> Tensor:
    """Scale gradients down together so that their norm is at most `longest`; returns the norm before.

    Gradients stay as they are if `longest` is 0 or their norm is not finite.
    """
    norm = get_total_norm(gradients, foreach=True)
    if 0 < longest < norm and norm.isfinite():
        torch._foreach_mul_(gradients, longest / (norm + _LEAST_NORM))
    return norm


def parameter_without_finite_gradient(module: nn.Module) -> str:
    """Name of the first parameter whose gradient is not finite; empty when all are."""
    for name, parameter in module.named_parameters():
        if parameter.grad is not None and not torch.isfinite(parameter.grad).all():
            return name
    return ""
