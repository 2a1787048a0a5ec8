"""Everything a gradient step changes, and its way into a checkpoint and back."""

from pathlib import Path
from typing import Any, Generic

import torch
from torch import Tensor
from torch.amp.grad_scaler import GradScaler

from glam.training import checkpoint, tensors
from glam.training.averaging import Average
from glam.training.checkpoint import Checkpoint
from glam.training.config import FitConfig
from glam.training.learner import BatchT, Learner
from glam.training.optimisation import make_optimiser

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
            tensors.fill(target, saved.tensors[part], checkpoint.path_of(root, saved.step, part))
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
