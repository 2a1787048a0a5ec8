"""An action decoder for a world model that learns none, such as LAPA, fitted to labelled transitions afterwards.

The network is the same as the action decoder of other methods. It learns from the target's training episodes alone, so
that held-out episodes stay unseen. Equal inputs give equal bits.
"""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from glam.data.demonstrations import episodes_of
from glam.data.normalizer import VectorNormalizer, of_latents
from glam.data.windows import EpisodeTable, Sampler, transitions
from glam.training.fit import fit
from glam.training.learner import FitConfig, Learner, StepContext
from glam.training.reproducibility import seed_initialisation
from glam.world_models.batches import LabelledWindowSource
from glam.world_models.objectives import gaussian_error
from glam.world_models.parts import PartsConfig, Sizes, action_decoder
from glam.world_models.runs import TrainedWorldModel, label_episode


@dataclass(frozen=True)
class LatentDecoderConfig:
    """Settings of the fit, which takes some seconds on one core."""

    batch_size: int = 256
    """Transitions in a batch."""
    fit: FitConfig = FitConfig(
        steps=1000, learning_rate=3e-3, threads=1, log_every=500, save_every=1000, validate_every=0
    )


@dataclass(frozen=True)
class LatentPairs:
    """Latent actions (B, d) and the actions (B, n_a) of the same transitions, both normalized."""

    latent: Tensor
    action: Tensor


class LatentDecoder(Learner[LatentPairs]):
    """p(a | z) as a learner of its own."""

    def __init__(self, sizes: Sizes, parts: PartsConfig) -> None:
        super().__init__()
        self.weights = {"action": 1.0}
        self.network = action_decoder(sizes, parts)

    def losses(self, batch: LatentPairs, context: StepContext) -> dict[str, Tensor]:
        """-log p(a | z)."""
        del context
        return {"action": gaussian_error(self.network(batch.latent), batch.action)}


@dataclass(frozen=True, eq=False)
class FittedDecoder:
    """A decoder ready for use."""

    decoder: LatentDecoder
    latent: VectorNormalizer
    action: VectorNormalizer

    @torch.no_grad()
    def actions(self, latents: NDArray[np.float32]) -> NDArray[np.float32]:
        """Robot actions in their own units. (M, d) -> (M, n_a)."""
        decoded = self.decoder.network(torch.from_numpy(self.latent.normalize(latents))).numpy()
        return self.action.denormalize(decoded)

    def error(self, labelled: "LabelledTransitions") -> float:
        """Mean squared error, relative to the variance of actions, as the probe `action_error` of other methods."""
        wrong = self.action.normalize(self.actions(labelled.latents)) - self.action.normalize(labelled.actions)
        return float(np.mean(wrong**2))


@dataclass(frozen=True, eq=False)
class LabelledTransitions:
    """Latent action (M, d) and action (M, n_a) of each transition of some episodes."""

    latents: NDArray[np.float32]
    actions: NDArray[np.float32]

    @classmethod
    def of(cls, trained: TrainedWorldModel, target: LabelledWindowSource, table: EpisodeTable) -> "LabelledTransitions":
        """Label the episodes of `table` with a world model."""
        latents = [label_episode(trained, target, frames) for frames in episodes_of(table)]
        return cls(np.concatenate(latents), target.frames.action[transitions(table)])


def fit_decoder(
    trained: TrainedWorldModel, labelled: LabelledTransitions, config: LatentDecoderConfig = LatentDecoderConfig()
) -> FittedDecoder:
    """Learn p(a | z) from labelled transitions."""
    latent_normalizer = of_latents([labelled.latents])
    latents = torch.from_numpy(latent_normalizer.normalize(labelled.latents))
    actions = torch.from_numpy(trained.normalizer.action.normalize(labelled.actions))
    sampler = Sampler(np.arange(len(latents)), config.batch_size, config.fit.seed)

    def batches(step: int) -> LatentPairs:
        chosen = torch.from_numpy(sampler.indices(step))
        return LatentPairs(latents[chosen], actions[chosen])

    seed_initialisation(config.fit.seed)
    decoder = LatentDecoder(trained.sizes, trained.model.config.parts)
    with TemporaryDirectory() as folder:  # a new fit takes seconds, so nothing is stored
        fit(decoder, batches, config.fit, Path(folder))
    return FittedDecoder(decoder, latent_normalizer, trained.normalizer.action)
