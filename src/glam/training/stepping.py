"""One gradient step of any learner."""

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from glam.training.batches import non_finite_tensors, on_device, share_of
from glam.training.config import FitConfig
from glam.training.learner import BatchT, weighted_sum
from glam.training.optimisation import (
    NonFiniteError,
    clip_gradients,
    gradients_of,
    learning_rate,
    parameter_without_finite_gradient,
)
from glam.training.parallel import Processes
from glam.training.seeding import context_at, seed_layers
from glam.training.state import TrainingState

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
LEAST_LOSS_SCALE = 1.0


def gradient_step(
    state: TrainingState[BatchT], batch: BatchT, step: int, config: FitConfig, processes: Processes
) -> dict[str, float]:
    """Take step number `step` on the batch of all processes; returns the values for the log.

    A loss or gradient that is not finite stops the run before any weight has changed.
    """
    learner = state.learner
    if not learner.training:  # setting the mode of all layers takes a hundredth of a step
        learner.train()
    buffers = processes.buffers(learner)
    seed_layers(config, step, processes)
    own = on_device(share_of(batch, processes.rank, processes.count), state.device)
    with torch.autocast(state.device.type, DTYPES[config.precision], enabled=config.precision != "fp32"):
        terms = learner.losses(own, context_at(config, step, "losses", processes))
    objective = weighted_sum(terms, learner.weights)
    values = processes.mean({"loss": objective, **{f"loss.{name}": term for name, term in terms.items()}})
    _require_finite_losses(values, own, step)
    norm = _gradients(state, objective, config, processes)
    _require_finite_gradients(state, norm, step)
    rate = _update(state, learning_rate(config, step))
    processes.add_up_buffers(learner, buffers)
    learner.after_step(context_at(config, step, "after step", processes))
    state.average.update(learner, step)
    # With fp16 a gradient may overflow; the scaler then skips the step and there is no norm to log.
    return values | {"learning_rate": rate} | ({"grad_norm": norm} if math.isfinite(norm) else {})


def _gradients(state: TrainingState[BatchT], objective: Tensor, config: FitConfig, processes: Processes) -> float:
    """Compute and clip the gradients of all processes' samples; returns their norm before clipping."""
    state.optimiser.zero_grad(set_to_none=True)
    state.scaler.scale(objective).backward()  # type: ignore[no-untyped-call]
    processes.average_gradients(state.learner)
    state.scaler.unscale_(state.optimiser)
    return float(clip_gradients(gradients_of(state.optimiser), config.grad_clip))


def _update(state: TrainingState[BatchT], rate: float) -> float:
    for group in state.optimiser.param_groups:
        group["lr"] = rate
    state.scaler.step(state.optimiser)
    state.scaler.update()
    return rate


def _require_finite_losses(values: Mapping[str, float], batch: Any, step: int) -> None:
    wrong = [name for name, value in values.items() if name != "loss" and not math.isfinite(value)]
    if wrong or not math.isfinite(values["loss"]):
        name = wrong[0].removeprefix("loss.") if wrong else "sum of all"
        culprits = non_finite_tensors(batch)
        cause = f"{culprits[0]} is not finite" if culprits else "the batch is finite: try a lower learning rate"
        value = values[wrong[0]] if wrong else values["loss"]
        raise NonFiniteError(f"step {step}: loss term {name!r} is {value} ({cause}); the last checkpoint stays")


def _require_finite_gradients(state: TrainingState[BatchT], norm: float, step: int) -> None:
    is_overflow = state.scaler.is_enabled() and state.scaler.get_scale() > LEAST_LOSS_SCALE
    if math.isfinite(norm) or is_overflow:
        return
    name = parameter_without_finite_gradient(state.learner)
    what = f"the gradient of parameter {name!r}" if name else "the norm of all gradients"
    raise NonFiniteError(f"step {step}: {what} is not finite (try a lower learning rate); the last checkpoint stays")
