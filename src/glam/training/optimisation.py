"""AdamW, its learning rate as a function of the step, and gradients that are finite or stop the run.

Besides: the exponential moving average of the parameters, and gradient norms of each loss on each part.
"""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn.utils import get_total_norm
from torch.optim import AdamW, Optimizer

from glam.core.errors import GlamError
from glam.training.config import FitConfig
from glam.training.learner import BatchT, Learner, StepContext

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


class Average:
    """A running mean of the parameters, or, with decay 0, none at all.

    The decay starts low and rises to its final value, so that the random initial weights are soon forgotten.
    """

    def __init__(self, module: nn.Module, decay: float) -> None:
        self.decay = decay
        parameters = module.named_parameters() if decay else ()
        self.values: dict[str, Tensor] = {name: parameter.detach().clone() for name, parameter in parameters}

    @torch.no_grad()
    def update(self, module: nn.Module, step: int) -> None:
        """Move towards the parameters as they are after `step`."""
        decay = min(self.decay, (1 + step) / (10 + step))
        if self.values:
            own = dict(module.named_parameters())
            torch._foreach_lerp_(list(self.values.values()), [own[name] for name in self.values], 1 - decay)

    def state_dict(self, module: nn.Module) -> dict[str, Tensor]:
        """The module's state with averaged parameters: the result of a training."""
        return {name: tensor.detach().clone() for name, tensor in (module.state_dict() | self.values).items()}

    @contextmanager
    def in_place(self, module: nn.Module) -> Iterator[None]:
        """Let the module work with the averaged parameters inside the block."""
        own = {name: module.get_parameter(name).detach().clone() for name in self.values}
        self._put(module, self.values)
        try:
            yield
        finally:
            self._put(module, own)

    @staticmethod
    @torch.no_grad()
    def _put(module: nn.Module, values: dict[str, Tensor]) -> None:
        for name, value in values.items():
            module.get_parameter(name).copy_(value)


def gradient_norms(learner: Learner[BatchT], batch: BatchT, context: StepContext) -> dict[str, float]:
    """Norms of the weighted gradients: `term.T` of loss T, `part.P` of the whole objective on part P, `term.T.part.P`.

    A part is a direct child of the learner. Gradients and buffers stay as they are.
    """
    before = {name: buffer.clone() for name, buffer in learner.named_buffers()}
    names, parameters = zip(*_trained(learner).items(), strict=True)
    terms = learner.losses(batch, context)
    norms: dict[str, float] = {}
    whole = [torch.zeros_like(parameter) for parameter in parameters]
    for term, loss in terms.items():
        gradients = _gradients(learner.weights[term] * loss, parameters)
        whole = [total + gradient for total, gradient in zip(whole, gradients, strict=True)]
        parts = _by_part(dict(zip(names, gradients, strict=True)))
        norms |= {f"term.{term}": math.hypot(*parts.values())} | {f"term.{term}.part.{p}": n for p, n in parts.items()}
    norms |= {f"part.{part}": norm for part, norm in _by_part(dict(zip(names, whole, strict=True))).items()}
    for name, buffer in learner.named_buffers():
        buffer.copy_(before[name])
    return norms


def _trained(learner: Learner[BatchT]) -> dict[str, Tensor]:
    return {name: parameter for name, parameter in learner.named_parameters() if parameter.requires_grad}


def _gradients(loss: Tensor, parameters: tuple[Tensor, ...]) -> list[Tensor]:
    if not loss.requires_grad:  # a constant term, such as the reconstruction of a model without images
        return [torch.zeros_like(parameter) for parameter in parameters]
    return list(torch.autograd.grad(loss, parameters, retain_graph=True, materialize_grads=True))


def _by_part(gradients: Mapping[str, Tensor]) -> dict[str, float]:
    squares: dict[str, float] = {}
    for name, gradient in gradients.items():
        part = name.partition(".")[0]
        squares[part] = squares.get(part, 0.0) + float(gradient.square().sum())
    return {part: square**0.5 for part, square in squares.items()}
