"""CLAM as the paper compares with it: a continuous latent action with a jointly trained action decoder.

Latents are deterministic. There is no prior and no action encoder: the action decoder learns from the IDM's latents of
labelled transitions. Networks, states and steps are those of GLAM; only the latent-action structure differs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Self

from torch import Tensor, nn

from glam.nn.gaussian import DiagGaussian
from glam.training.learner import StepContext
from glam.world_models.batches import MixedBatch, Windows
from glam.world_models.method import IMAGES, MASKS, MethodConfig, WorldModel
from glam.world_models.objectives import gaussian_error
from glam.world_models.parts import ForwardModel, InverseDynamics, Sizes, action_decoder
from glam.world_models.states import StateModel


@dataclass(frozen=True)
class ClamConfig(MethodConfig):
    """CLAM world model. Its IDM sees exact poses: no alignment carries a robot's tilt into the latent action."""

    kind: Literal["clam"] = "clam"
    learns_from_auxiliary: bool = False
    """The paper trains CLAM on the target alone; True for the variant that learns from auxiliary windows too."""

    @classmethod
    def variants(cls) -> dict[str, Self]:
        """CLAM on the target alone, and on both sources."""
        return {
            "clam": cls(states=IMAGES),
            "clam-o": cls(states=MASKS),
            "clam-both": cls(states=IMAGES, learns_from_auxiliary=True),
            "clam-o-both": cls(states=MASKS, learns_from_auxiliary=True),
        }

    @property
    def advice(self) -> Mapping[str, str]:
        """Nothing aligns its latents with actions."""
        return {"action_error": "choose a method with alignment, such as glam-o"}

    def build(self, sizes: Sizes) -> "Clam":
        """A new model."""
        return Clam(self, sizes)


class Clam(WorldModel):
    """States, IDM, forward model and action decoder."""

    action_decoder: nn.Module

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
        """Next-state prediction on the sources that it learns from, action prediction on the target."""
        windows: Windows = batch.every() if self.config.learns_from_auxiliary else batch.target
        noise = context.noise.over(*batch.sizes) if self.config.learns_from_auxiliary else context.noise
        states = self.states.encode(windows)
        z = self.idm(states.current().x, states.next().x).mean
        feature, pose = self.forward_model(*states.current(), z)
        next_states = states.next()
        actions = batch.target.action[:, :-1]
        return {
            "reconstruction": self.states.reconstruction_error(states.feature, windows.image, noise),
            "forward_feature": gaussian_error(feature, next_states.feature.detach()),
            "forward_pose": self.states.pose_error(pose, next_states.pose),
            "action": gaussian_error(self.action_decoder(z[: len(actions)]), actions),
        }

    def label(self, windows: Windows) -> Tensor:
        """Latent action of each transition: the IDM's output. (B, T - 1, d)."""
        states = self.states.encode(windows)
        posterior: DiagGaussian = self.idm(states.current().x, states.next().x)
        return posterior.mean
