"""Checkpoints: folders `step-00000500` of safetensors and JSON, of which the newest two are kept.

A checkpoint is staged under a temporary name in the same folder, synced, sealed and then renamed, so under its final
name it is complete; the one before goes only after the new one has been read back. A crash at any moment leaves the
newest complete one, and temporary files that the next start removes.

`TrainingState` is everything that a gradient step changes, on its way into a checkpoint and back.
"""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

import torch
from torch import Tensor
from torch.amp.grad_scaler import GradScaler

from glam.core import files, seals
from glam.core.errors import GlamError
from glam.training import tensors
from glam.training.learner import BatchT, FitConfig, Learner
from glam.training.optimisation import Average, make_optimiser

KEPT = 2
FACTS = "state.json"
PARTS = ("model", "average", "optimiser")
_NAME = re.compile(r"step-(\d{8,})")


@dataclass(frozen=True)
class Checkpoint:
    """The state of a training after a step, and its provenance."""

    step: int
    """Steps taken."""
    facts: dict[str, Any]
    """Plain JSON: progress, config and provenance."""
    tensors: dict[str, dict[str, Tensor]]
    """Named tensors for each of `PARTS`."""


def save(root: Path, checkpoint: Checkpoint) -> None:
    """Store a checkpoint in the folder `root`, then delete all but the newest `KEPT`."""
    folder = folder_of(root, checkpoint.step)
    contents = {_file(part): tensors.to_bytes(checkpoint.tensors[part], folder / _file(part)) for part in PARTS}
    contents[FACTS] = seals.json_bytes({**checkpoint.facts, "step": checkpoint.step})
    with seals.writing(root, sum(map(len, contents.values()))), files.replacing_folder(folder) as staging:
        seals.write(staging, contents)
    _delete_old(root)


def steps(root: Path) -> list[int]:
    """Steps of the complete checkpoints in `root`, in order."""
    folders = (path for path in root.iterdir() if not path.is_symlink()) if root.is_dir() else ()
    return sorted(int(match[1]) for match in (_NAME.fullmatch(path.name) for path in folders) if match)


def load(root: Path, step: int) -> Checkpoint:
    """Read a checkpoint; a file that differs from what was saved is an error that names it."""
    folder = folder_of(root, step)
    try:
        facts = seals.read_json(folder, FACTS)
        if facts.get("step") != step:
            raise GlamError(f"{folder / FACTS}: is of step {facts.get('step')}, not of {step}; rename the folder back")
        parts = {part: tensors.from_bytes(seals.read(folder, _file(part)), folder / _file(part)) for part in PARTS}
    except GlamError as error:
        others = [other for other in steps(root) if other != step]
        way_out = f"; or delete {folder} to resume from step {max(others)}" if others else ""
        raise GlamError(f"{error}{way_out}") from None
    return Checkpoint(step, facts, parts)


def path_of(root: Path, step: int, part: str) -> Path:
    """File with the tensors of a part."""
    return files.contained(folder_of(root, step), _file(part))


def folder_of(root: Path, step: int) -> Path:
    """Folder of the checkpoint of a step."""
    return files.contained(root, f"step-{step:08d}")


def tidy(root: Path) -> None:
    """Remove temporary files and old checkpoints that an interrupted save left behind."""
    files.sweep(root)
    _delete_old(root)


def _delete_old(root: Path) -> None:
    for step in steps(root)[:-KEPT]:
        folder = folder_of(root, step)
        # Under a temporary name first: half a checkpoint must never look like a whole one.
        temporary = folder.with_name(f".{folder.name}.old{files.TEMPORARY_SUFFIX}")
        folder.rename(temporary)
        shutil.rmtree(temporary)


def _file(part: str) -> str:
    return part + tensors.SUFFIX


MOMENTS = ("exp_avg", "exp_avg_sq")


class TrainingState(Generic[BatchT]):
    """A learner on its device with its optimiser, its moving average and, for fp16, the scale of its loss."""

    def __init__(self, learner: Learner[BatchT], config: FitConfig, device: torch.device) -> None:
        self.learner, self.device = learner, device
        self.optimiser = make_optimiser(learner, config)
        self.average = Average(learner, config.ema_decay)
        self.scaler = GradScaler(device.type, enabled=config.precision == "fp16")

    def checkpoint(self, step: int, facts: dict[str, Any]) -> Checkpoint:
        """The state after `step` steps."""
        parts = {
            "model": self.learner.state_dict(),
            "average": self.average.values,
            "optimiser": self._optimiser_tensors(),
        }
        return Checkpoint(step, {**facts, "loss_scale": self.scaler.state_dict()}, parts)

    def restore(self, saved: Checkpoint, root: Path) -> None:
        """Restore a checkpoint from the folder `root`."""
        targets = {
            "model": self.learner.state_dict(),
            "average": self.average.values,
            "optimiser": self._empty_moments(saved.tensors["optimiser"]),
        }
        for part, target in targets.items():
            tensors.fill(target, saved.tensors[part], path_of(root, saved.step, part))
        self.scaler.load_state_dict(saved.facts["loss_scale"])

    def _optimiser_tensors(self) -> dict[str, Tensor]:
        state = self.optimiser.state
        return {
            f"{name}.{key}": tensor
            for name, parameter in self.learner.named_parameters()
            for key, tensor in state.get(parameter, {}).items()
        }

    def _empty_moments(self, found: dict[str, Tensor]) -> dict[str, Tensor]:
        """Give each parameter that had moments new ones to be filled, in the memory format of the parameter."""
        for name, parameter in self.learner.named_parameters():
            if f"{name}.step" in found:
                moments = {key: torch.zeros_like(parameter, requires_grad=False) for key in MOMENTS}
                count_device = parameter.device if self.optimiser.defaults["fused"] else torch.device("cpu")
                self.optimiser.state[parameter] = {"step": torch.zeros((), device=count_device), **moments}
        return self._optimiser_tensors()
