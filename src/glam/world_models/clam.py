"""CLAM as the paper compares with it: a continuous latent action with a jointly trained action decoder.

Deterministic latents, no prior, no action encoder: the decoder learns from the IDM's latents of labelled transitions.
Same networks, states and steps as GLAM; only the latent-action structure differs.
"""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from glam.nn.gaussian import DiagGaussian
from glam.training.learner import Learner, StepContext
from glam.world_models.batches import MixedBatch, Windows
from glam.world_models.objectives import gaussian_error
from glam.world_models.parts import ForwardModel, InverseDynamics, PartsConfig, Sizes, action_decoder
from glam.world_models.states import StateModel, StatesConfig


@dataclass(frozen=True)
class ClamConfig:
    """CLAM world model."""

    idm_rotation_noise: ClassVar[float] = 0.0
    """Its IDM sees poses as they are: no alignment carries a robot's tilt into the latent action."""

    parts: PartsConfig = PartsConfig()
    states: StatesConfig = StatesConfig()
    learns_from_auxiliary: bool = False
    """The paper trains it on the target alone; True for the variant that also sees the auxiliary windows."""


class Clam(Learner[MixedBatch]):
    """States, IDM, forward model and action decoder."""

    def __init__(self, config: ClamConfig, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        likelihoods = dict.fromkeys(("forward_feature", "forward_pose", "action"), 1.0)
        self.weights = likelihoods | {"reconstruction": config.states.reconstruction_weight}
        self.states = StateModel(sizes, config.parts, config.states)
        self.idm = InverseDynamics(self.states.size, sizes.latent, config.parts)
        self.forward_model = ForwardModel(self.states.feature_size, self.states.pose_size, sizes.latent, config.parts)
        self.action_decoder = action_decoder(sizes, config.parts)

    def losses(self, batch: MixedBatch, context: StepContext) -> dict[str, Tensor]:
        """Next-state prediction on what is seen, action prediction where there are labels."""
        seen: Windows = batch.every() if self.config.learns_from_auxiliary else batch.target
        noise = context.noise.over(*batch.parts) if self.config.learns_from_auxiliary else context.noise
        states = self.states.encode(seen)
        z = self.idm(states.now().x, states.later().x).mean
        feature, pose = self.forward_model(*states.now(), z)
        later = states.later()
        actions = batch.target.action[:, :-1]
        return {
            "reconstruction": self.states.reconstruction_error(states.feature, seen.image, noise),
            "forward_feature": gaussian_error(feature, later.feature.detach()),
            "forward_pose": gaussian_error(pose, later.pose),
            "action": gaussian_error(self.action_decoder(z[: len(actions)]), actions),
        }

    def label(self, windows: Windows) -> Tensor:
        """Latent action of each transition. (B, T - 1, d)."""
        states = self.states.encode(windows)
        posterior: DiagGaussian = self.idm(states.now().x, states.later().x)
        return posterior.mean
