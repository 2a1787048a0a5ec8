"""One training loop for every learner, and one gradient step of it.

On Ctrl-C and on SIGTERM, SLURM's way to end a job, a training finishes its step, saves a checkpoint and then ends.
"""

import math
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch import Tensor

from glam.core.configs import first_difference, to_json
from glam.core.errors import GlamError, InterruptedRun
from glam.training import checkpoint, metrics
from glam.training.batches import ALONE, Processes, non_finite_tensors, on_device, share_of
from glam.training.checkpoint import TrainingState
from glam.training.learner import BatchT, FitConfig, Learner, weighted_sum
from glam.training.optimisation import (
    NonFiniteError,
    clip_gradients,
    gradients_of,
    learning_rate,
    parameter_without_finite_gradient,
)
from glam.training.recorder import CHECKPOINTS, METRICS, NO_HOOKS, Hooks, Record, Start, recording
from glam.training.reproducibility import context_at, prepared, seed_layers

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """A signal that has come while a training was running."""

    def __init__(self) -> None:
        self.signal = 0

    def __bool__(self) -> bool:
        return self.signal != 0

    def end(self, step: int) -> None:
        """End the run whose checkpoint of `step` is saved."""
        raise InterruptedRun(self.signal, f"saved at step {step}")


@contextmanager
def watching_for_signals(*, is_alone: bool) -> Iterator[Interruption]:
    """Note the first SIGINT or SIGTERM instead of dying of it; a second Ctrl-C ends the process at once.

    Further SIGTERMs change nothing: a scheduler may send one to each process, and their parent another one. Several
    processes that train together would stop at different steps and wait for each other for ever, and Python handles
    signals in its main thread only: there, signals act as usual.
    """
    interruption = Interruption()
    if not is_alone or threading.current_thread() is not threading.main_thread():
        yield interruption
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}

    def note(number: int, frame: FrameType | None) -> None:
        del frame
        interruption.signal = interruption.signal or number
        signal.signal(signal.SIGINT, before[signal.SIGINT])

    for number in before:
        signal.signal(number, note)
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


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


def fit(
    learner: Learner[BatchT],
    batches: Callable[[int], BatchT],
    config: FitConfig,
    folder: Path,
    hooks: Hooks = NO_HOOKS,
    processes: Processes = ALONE,
) -> dict[str, Tensor]:
    """Train up to `config.steps`, from the newest checkpoint in `folder` on; returns the weights to keep.

    `batches` is a pure function of the step and gives the batch of all processes together. The result is then the same
    bits however often the training was interrupted. The folder gets `checkpoints/` and `metrics.jsonl`; the caller
    makes sure that only one training uses it (`artefact.opened` does). Ctrl-C and SIGTERM save the step that is done
    and raise `InterruptedRun`. Afterwards the learner holds
    the weights to keep and is in evaluation mode.
    """
    with prepared(config):
        device = processes.device(config.device)
        processes.broadcast(learner.to(device))
        state = TrainingState(learner, config, device)
        start = _resumed(state, config, folder, processes)
        write = recording(state, config, folder, hooks, start) if processes.is_first else _not_recording()
        with write as record, watching_for_signals(is_alone=processes is ALONE) as interruption:
            for step in range(start.step, config.steps):
                values = gradient_step(state, batches(step), step, config, processes)
                record(step + 1, values, is_last=bool(interruption))
                if interruption and step + 1 < config.steps:
                    interruption.end(step + 1)
    kept = state.average.state_dict(learner)
    learner.load_state_dict(kept)
    learner.eval()
    return kept


def _resumed(state: TrainingState[BatchT], config: FitConfig, folder: Path, processes: Processes) -> Start:
    """Restore the newest checkpoint, and remove what came after it."""
    root = folder / CHECKPOINTS
    newest = max(checkpoint.steps(root), default=0)
    start = _restored(state, config, root, newest) if newest else Start()
    processes.wait()  # no process may delete files while another one reads them
    if processes.is_first:
        checkpoint.tidy(root)
        metrics.trim(folder / METRICS, start.step)
    return start


def _restored(state: TrainingState[BatchT], config: FitConfig, root: Path, step: int) -> Start:
    saved = checkpoint.load(root, step)
    difference = first_difference(saved.facts["config"], to_json(config), "fit")
    if difference:
        raise GlamError(f"{checkpoint.folder_of(root, step)}: made with another config: {difference}")
    state.restore(saved, root)
    return Start(step, saved.facts["seconds"])


@contextmanager
def _not_recording() -> Iterator[Record]:
    def ignore(step: int, values: Mapping[str, float], *, is_last: bool) -> None:
        del step, values, is_last

    yield ignore
