"""One training loop for every learner."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from torch import Tensor

from glam.core.configs import to_json
from glam.core.differences import first_difference
from glam.core.errors import GlamError
from glam.training import checkpoint, metrics
from glam.training.config import FitConfig
from glam.training.interruption import watching_for_signals
from glam.training.learner import BatchT, Learner
from glam.training.machine import prepared
from glam.training.parallel import ALONE, Processes
from glam.training.recorder import CHECKPOINTS, METRICS, NO_HOOKS, Hooks, Record, Start, recording
from glam.training.state import TrainingState
from glam.training.stepping import gradient_step


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
    makes sure that only one training uses it (`run_folder.opened` does). Ctrl-C and SIGTERM save the step that is done
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
