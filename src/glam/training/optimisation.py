"""AdamW, its learning rate as a function of the step, and gradients that are finite or stop the run.

Besides: the exponential moving average of the parameters, and gradient norms of each loss where losses meet.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn.utils import get_total_norm
from torch.optim import AdamW, Optimizer

from glam.core.errors import GlamError
from glam.training.learner import BatchT, FitConfig, Learner, StepContext

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
    """Norms of the weighted gradients where losses meet: `T.P` of loss T on part P, and `T` on all such parts.

    A part is a direct child of the learner. Only parameters on which at least two losses pull are counted: there the
    losses compete. Gradients and buffers stay as they are.
    """
    before = {name: buffer.clone() for name, buffer in learner.named_buffers()}
    names, parameters = zip(*_trained(learner).items(), strict=True)
    terms = learner.losses(batch, context)
    found = {term: _pulls(learner.weights[term] * loss, names, parameters) for term, loss in terms.items()}
    pulling = Counter(name for pulls in found.values() for name in pulls)
    norms: dict[str, float] = {}
    for term, pulls in found.items():
        parts = _by_part({name: norm for name, norm in pulls.items() if pulling[name] > 1})
        norms |= {term: math.hypot(*parts.values())} | {f"{term}.{part}": norm for part, norm in parts.items()}
    for name, buffer in learner.named_buffers():
        buffer.copy_(before[name])
    return norms


def _trained(learner: Learner[BatchT]) -> dict[str, Tensor]:
    return {name: parameter for name, parameter in learner.named_parameters() if parameter.requires_grad}


def _pulls(loss: Tensor, names: Sequence[str], parameters: Sequence[Tensor]) -> dict[str, float]:
    """Norms of the gradient of a loss on the parameters where it is not zero."""
    if not loss.requires_grad:  # a constant term, such as the reconstruction of a model without images
        return {}
    gradients = torch.autograd.grad(loss, parameters, retain_graph=True, allow_unused=True)
    present = [(name, gradient) for name, gradient in zip(names, gradients, strict=True) if gradient is not None]
    norms = torch.stack([gradient.norm() for _, gradient in present]).tolist()
    return {name: norm for (name, _), norm in zip(present, norms, strict=True) if norm > 0}


def _by_part(norms: Mapping[str, float]) -> dict[str, float]:
    parts: dict[str, float] = {}
    for name, norm in norms.items():
        part = name.partition(".")[0]
        parts[part] = math.hypot(parts.get(part, 0.0), norm)
    return parts
