"""Records of a training in progress: metrics, validations and checkpoints."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol

from glam.core.configs import to_json
from glam.training import checkpoint
from glam.training.checkpoint import TrainingState
from glam.training.learner import BatchT, FitConfig
from glam.training.metrics import MetricsLog, OpenSink, Sink, Split
from glam.training.reproducibility import description, versions

CHECKPOINTS = "checkpoints"
METRICS = "metrics.jsonl"

DIAGNOSED = 4
"""Lines of the training log of which one has the values of `Hooks.diagnose`: so they cost little time."""
SAVE_SECONDS = 60.0
"""Most seconds between two checkpoints, whatever their steps: what a crash can cost."""


class Record(Protocol):
    """Callback of the training loop."""

    def __call__(self, step: int, values: Mapping[str, float], *, is_last: bool) -> None:
        """Take the number of steps taken so far and the values of the last one; save the last one before an end."""


@dataclass(frozen=True)
class TrainingProgress:
    """State of a training after a step."""

    step: int
    steps: int
    loss: float


def no_validation(step: int) -> dict[str, float]:
    """Measure nothing."""
    del step
    return {}


def no_training_progress(progress: TrainingProgress) -> None:
    """Ignore the progress."""
    del progress


@dataclass(frozen=True)
class Hooks:
    """Callbacks of a training; none of them can change the weights."""

    validate: Callable[[int], Mapping[str, float]] = no_validation
    """Measures the learner, which meanwhile holds the weights that would be kept and is in evaluation mode.

    Called with the number of steps taken, in the first process alone.
    """
    diagnose: Callable[[int], Mapping[str, float]] = no_validation
    """Measures the learner as it is in training, for one line of the log in `DIAGNOSED`; otherwise like `validate`."""
    progress: Callable[[TrainingProgress], None] = no_training_progress
    """Called after each step."""
    sinks: tuple[OpenSink, ...] = ()
    """Loggers besides `metrics.jsonl`."""


NO_HOOKS = Hooks()


@dataclass(frozen=True)
class Start:
    """Start of a training: the beginning, or its newest checkpoint."""

    step: int = 0
    seconds: float = 0.0
    """Time spent on the steps before."""


@contextmanager
def recording(
    state: TrainingState[BatchT], config: FitConfig, folder: Path, hooks: Hooks, start: Start
) -> Iterator[Record]:
    """Give a callback that writes into `folder` at the intervals of the config."""
    with ExitStack() as stack:
        log = stack.enter_context(MetricsLog(folder / METRICS))
        sinks = [stack.enter_context(closing(open_sink(start.step))) for open_sink in hooks.sinks]
        recorder = _Recorder(state, config, folder, hooks, _Logs(log, sinks, _Clock(start)))

        def record(step: int, values: Mapping[str, float], *, is_last: bool) -> None:
            recorder.record(step, values, is_last=is_last)
            hooks.progress(TrainingProgress(step, config.steps, values["loss"]))

        yield record


class _Clock:
    def __init__(self, start: Start) -> None:
        self._start, self._begun = start, time.monotonic()

    def seconds(self) -> float:
        """Time in training, including the time before an interruption."""
        return self._start.seconds + time.monotonic() - self._begun


class _Logs:
    """The metrics file, and the loggers that were asked for."""

    def __init__(self, log: MetricsLog, sinks: list[Sink], clock: _Clock) -> None:
        self._log, self._sinks, self._clock = log, sinks, clock

    def write(self, step: int, split: Split, values: Mapping[str, float]) -> None:
        self._log.write(step, split, values, self._clock.seconds())
        for sink in self._sinks:
            sink.write(step, {f"{split}/{name}": value for name, value in values.items()})

    def sync(self) -> float:
        """Make all lines durable; returns the time in training."""
        self._log.sync()
        return self._clock.seconds()


class _Recorder(Generic[BatchT]):
    def __init__(
        self, state: TrainingState[BatchT], config: FitConfig, folder: Path, hooks: Hooks, logs: _Logs
    ) -> None:
        self._state, self._config, self._folder, self._hooks, self._logs = state, config, folder, hooks, logs
        self._saved = time.monotonic()

    def record(self, step: int, values: Mapping[str, float], *, is_last: bool) -> None:
        if self._is_due(step, self._config.log_every):
            is_diagnosed = self._is_due(step, DIAGNOSED * self._config.log_every)
            self._logs.write(step, "train", {**values, **(self._hooks.diagnose(step) if is_diagnosed else {})})
        if self._is_due(step, self._config.validate_every):
            self._validate(step)
        is_late = time.monotonic() - self._saved >= SAVE_SECONDS
        if is_last or is_late or self._is_due(step, self._config.save_every):  # after the log, whose lines it includes
            self._save(step)

    def _is_due(self, step: int, every: int) -> bool:
        return step == self._config.steps or (every > 0 and step % every == 0)

    def _validate(self, step: int) -> None:
        learner = self._state.learner.eval()
        with self._state.average.in_place(learner):
            values = self._hooks.validate(step)
        if values:
            self._logs.write(step, "validation", values)

    def _save(self, step: int) -> None:
        facts = {
            "seconds": self._logs.sync(),
            "config": to_json(self._config),
            "rng": {"scheme": "seeded anew for each step", "seed": self._config.seed},
            "versions": versions(),
            "machine": description(),
        }
        checkpoint.save(self._folder / CHECKPOINTS, self._state.checkpoint(step, facts))
        self._saved = time.monotonic()
