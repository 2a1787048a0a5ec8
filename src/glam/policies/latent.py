"""The paper's policy: latent actions from all sources, decoded into robot actions (Eq. 8)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from glam.nn.mlp import MLP
from glam.policies.batches import LatentBatch, Observations
from glam.policies.condition import Condition, ConditionConfig, ConditionSizes
from glam.policies.mip import Mip, MipConfig, Steps, chunk_error
from glam.training.learner import Learner, StepContext


@dataclass(frozen=True)
class LatentPolicyConfig:
    """Latent-action policy."""

    condition: ConditionConfig = ConditionConfig()
    head: MipConfig = MipConfig()
    decoder_layers: int = 4
    keypoint_weight: float = 5.0
    """Weight of finding the objects in the pictures; training only, and the same for every policy."""


class LatentPolicy(Learner[LatentBatch]):
    """Condition, MIP head over latent actions, and a decoder of its own, trained end to end."""

    def __init__(self, config: LatentPolicyConfig, sizes: ConditionSizes, latent: int, action: int) -> None:
        super().__init__()
        self.weights = {"latent": 1.0, "action": 1.0, "keypoints": config.keypoint_weight}
        self.condition = Condition(sizes, config.condition)
        self.head = Mip(self.condition.size, latent, config.head)
        self.decoder = MLP(latent, action, layers=config.decoder_layers)

    def losses(self, batch: LatentBatch, context: StepContext) -> dict[str, Tensor]:
        """|z^ - z|^2 on every row, |a^ - a|^2 on the target's."""
        rows, actions = batch.rows, batch.actions
        condition, keypoints = self.condition.teach(rows.seen, rows.keypoints, context.noise)
        steps = self.head.teach(condition, rows.latents.values, context.noise)
        decoded = self.decoder(torch.stack([step[: len(actions.values)] for step in steps]))  # (2, B, H, n_a)
        return {
            "latent": chunk_error(steps, rows.latents.values, rows.latents.is_real),
            "action": chunk_error(Steps(*decoded), actions.values, actions.is_real),
            "keypoints": keypoints,
        }

    def act(self, seen: Observations) -> Tensor:
        """Chunks of normalised robot actions. (B, H, n_a)."""
        actions: Tensor = self.decoder(self.head.act(self.condition(seen)))
        return actions
