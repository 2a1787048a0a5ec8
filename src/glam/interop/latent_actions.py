"""Decode latent actions, predicted by policies of other trainers, into robot actions.

decode = open_decoder(Path("runs/world-model"))
actions = decode(latents)    # (..., d) -> (..., n_a), in the robot's own units
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.data.manifest import LATENTS
from glam.data.reader import Dataset
from glam.world_models import runs
from glam.world_models.runs import TrainedWorldModel, decode_actions


@dataclass(frozen=True, eq=False)
class ActionDecoder:
    """p(a | z) of a world model."""

    trained: TrainedWorldModel

    @property
    def digest(self) -> str:
        """Identifies the world model; only its own latents can be decoded."""
        return self.trained.digest

    def __call__(self, latents: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
        """Robot actions in their own units. (..., d) -> (..., n_a)."""
        size = self.trained.sizes.latent
        if latents.ndim < 1 or latents.shape[-1] != size:
            raise GlamError(f"latent actions of shape {latents.shape}; the last axis must have {size} entries")
        if not np.isfinite(latents).all():
            raise GlamError("latent actions must be finite numbers")
        actions = decode_actions(self.trained, latents.reshape(-1, size).astype(np.float32))
        return actions.reshape(*latents.shape[:-1], -1)


def open_decoder(world_model: Path) -> ActionDecoder:
    """The action decoder of a finished training of a world model."""
    trained = runs.load(world_model)
    if trained.model.action_decoder is None:
        raise GlamError(f"{world_model}: this method learns no action decoder; use one that does, such as glam-o")
    return ActionDecoder(trained)


def world_model_of(data: Path) -> str:
    """Digest of the world model whose latent actions a dataset holds, as recorded by `glam relabel --as-lerobot`."""
    notes = Dataset.open(data).provenance.get("description", {}).get(LATENTS, {})
    if "model" not in notes:
        raise GlamError(f"{data}: holds no latent actions; make a copy that does with glam relabel --as-lerobot")
    return str(notes["model"])
