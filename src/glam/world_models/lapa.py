"""LAPA as the paper compares with it: quantised latent actions, learnt from next states alone, without any label.

The IDM's output is cut into tokens, each replaced by one of a few codes (NSVQ); the forward model must predict the next
state from them. Same networks, states and steps as GLAM; only the latent-action structure differs. How the latent is
cut into tokens is not given in the paper; see docs/deviations.md.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from glam.nn.noise import Noise
from glam.nn.nsvq import NSVQ
from glam.training.learner import Learner, StepContext
from glam.world_models.batches import MixedBatch, Windows
from glam.world_models.objectives import gaussian_error
from glam.world_models.parts import ForwardModel, InverseDynamics, PartsConfig, Sizes
from glam.world_models.states import StateModel, StatesConfig


@dataclass(frozen=True)
class LapaConfig:
    """LAPA world model."""

    idm_rotation_noise: ClassVar[float] = 0.0
    """Its IDM sees poses as they are: no alignment carries a robot's tilt into the latent action."""

    parts: PartsConfig = PartsConfig()
    states: StatesConfig = StatesConfig()
    tokens: int = 4
    """Into how many tokens the latent action is cut; its size must be a multiple."""
    codes: int = 8
    """Codes of each token: 8^4 = 4096 latent actions."""
    replace_every: int = 50
    """Steps between two replacements of dead codes."""
    replace_until: float = 0.8
    """Share of the training after which the codes are left alone."""


class Lapa(Learner[MixedBatch]):
    """States, IDM, quantiser and forward model."""

    def __init__(self, config: LapaConfig, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        likelihoods = dict.fromkeys(("forward_feature", "forward_pose"), 1.0)
        self.weights = likelihoods | {"reconstruction": config.states.reconstruction_weight}
        self.states = StateModel(sizes, config.parts, config.states)
        self.idm = InverseDynamics(self.states.size, sizes.latent, config.parts)
        self.quantiser = NSVQ(tokens=config.tokens, token_size=sizes.latent // config.tokens, codes=config.codes)
        self.forward_model = ForwardModel(self.states.feature_size, self.states.pose_size, sizes.latent, config.parts)

    def losses(self, batch: MixedBatch, context: StepContext) -> dict[str, Tensor]:
        """Next-state prediction through the quantised latent, on every source."""
        every, (rows, _) = batch.every(), batch.parts
        noise = context.noise.over(*batch.parts)
        states = self.states.encode(every)
        encoded = self.idm(states.now().x, states.later().x).mean
        z = torch.cat([self._quantised(part, context.noise) for part in (encoded[:rows], encoded[rows:])])
        feature, pose = self.forward_model(*states.now(), z)
        later = states.later()
        return {
            "reconstruction": self.states.reconstruction_error(states.feature, every.image, noise),
            "forward_feature": gaussian_error(feature, later.feature.detach()),
            "forward_pose": gaussian_error(pose, later.pose),
        }

    def after_step(self, context: StepContext) -> None:
        """Revive codes that nothing uses: collapse of the codebook is this method's best known failure."""
        is_due = context.step % self.config.replace_every == self.config.replace_every - 1
        if is_due and context.step < self.config.replace_until * context.steps:
            self.quantiser.replace_dead_codes(context.noise.generator)

    def label(self, windows: Windows) -> Tensor:
        """Latent action of each transition: the nearest codes. (B, T - 1, d)."""
        states = self.states.encode(windows)
        encoded = self.idm(states.now().x, states.later().x).mean
        return self.quantiser.quantise(encoded.flatten(0, 1)).view(encoded.shape)

    def _quantised(self, encoded: Tensor, noise: Noise) -> Tensor:
        quantised: Tensor = self.quantiser(encoded.flatten(0, 1), noise)
        return quantised.view(encoded.shape)
