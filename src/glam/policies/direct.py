"""Behaviour cloning: actions, recorded or retargeted, are predicted directly. With the head mip, the baseline `mip`."""

from dataclasses import dataclass
from typing import Annotated, Literal

from torch import Tensor

from glam.policies.batches import ActionBatch, Observations
from glam.policies.heads import HEADS
from glam.policies.heads.head import HeadConfig
from glam.policies.heads.mip import MipConfig
from glam.policies.observation import ObservationConfig, ObservationEncoder, ObservationSizes
from glam.training.learner import Learner, StepContext


@dataclass(frozen=True)
class DirectPolicyConfig:
    """Policy over actions: the paper's first baseline, the practitioner's (retarget), and the upper bound."""

    observation: ObservationConfig = ObservationConfig()
    head: Annotated[HeadConfig, HEADS] = MipConfig()
    keypoint_weight: float = 0.0
    """Weight of the auxiliary keypoint loss, which finds the objects of the target's masks. 0: masks are not used."""
    kind: Literal["direct"] = "direct"

    def build(self, sizes: ObservationSizes, latent: int, action: int) -> "DirectPolicy":
        """A new policy, which has no latent actions."""
        del latent
        return DirectPolicy(self, sizes, action)


class DirectPolicy(Learner[ActionBatch]):
    """Observation encoder and a head over actions."""

    def __init__(self, config: DirectPolicyConfig, sizes: ObservationSizes, action: int) -> None:
        super().__init__()
        self.observation = ObservationEncoder(sizes, config.observation)
        self.weights = {"action": 1.0, **self.observation.auxiliary_weights(config.keypoint_weight)}
        self.head = config.head.build(self.observation.size, action)

    def losses(self, batch: ActionBatch, context: StepContext) -> dict[str, Tensor]:
        """The head's loss, and the keypoint loss if it is used."""
        condition, auxiliary = self.observation.training_forward(batch.observed, batch.keypoints, context.noise)
        return {"action": self.head.training_forward(condition, batch.actions, context.noise).loss, **auxiliary}

    def act(self, observed: Observations) -> Tensor:
        """Chunks of normalized robot actions. (B, H, n_a)."""
        return self.act_on(self.observation(observed))

    def act_on(self, condition: Tensor) -> Tensor:
        """The same for encoded observations c_t. (B, c) -> (B, H, n_a)."""
        return self.head.sample(condition)
