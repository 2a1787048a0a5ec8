"""Behaviour cloning with the same eyes and head: actions, recorded or retargeted, are predicted directly."""

from dataclasses import dataclass

from torch import Tensor

from glam.policies.batches import ActionBatch, Observations
from glam.policies.mip import Mip, MipConfig, chunk_error
from glam.policies.observation import ObservationConfig, ObservationEncoder, ObservationSizes
from glam.training.learner import Learner, StepContext


@dataclass(frozen=True)
class DirectPolicyConfig:
    """MIP on actions: the paper's first baseline, the practitioner's (retarget), and the upper bound."""

    observation: ObservationConfig = ObservationConfig()
    head: MipConfig = MipConfig()
    keypoint_weight: float = 20.0
    """Weight of the auxiliary keypoint loss, the same for every policy."""


class DirectPolicy(Learner[ActionBatch]):
    """Condition and MIP head over actions."""

    def __init__(self, config: DirectPolicyConfig, sizes: ObservationSizes, action: int) -> None:
        super().__init__()
        self.weights = {"action": 1.0, "keypoints": config.keypoint_weight}
        self.observation = ObservationEncoder(sizes, config.observation)
        self.head = Mip(self.observation.size, action, config.head)

    def losses(self, batch: ActionBatch, context: StepContext) -> dict[str, Tensor]:
        """|a^ - a|^2."""
        condition, keypoints = self.observation.training_forward(batch.observed, batch.keypoints, context.noise)
        steps = self.head.teach(condition, batch.actions.values, context.noise)
        return {"action": chunk_error(steps, batch.actions.values, batch.actions.is_real), "keypoints": keypoints}

    def act(self, observed: Observations) -> Tensor:
        """Chunks of normalized robot actions. (B, H, n_a)."""
        return self.head.act(self.observation(observed))
