"""The paper's policy: latent actions from all sources, decoded into robot actions (Eq. 8)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from glam.nn.mlp import MLP
from glam.nn.noise import Noise
from glam.policies.batches import LatentBatch, Observations
from glam.policies.mip import Mip, MipConfig, chunk_error
from glam.policies.observation import ObservationConfig, ObservationEncoder, ObservationSizes
from glam.training.learner import Learner, StepContext


@dataclass(frozen=True)
class LatentPolicyConfig:
    """Latent-action policy."""

    observation: ObservationConfig = ObservationConfig()
    head: MipConfig = MipConfig()
    decoder_layers: int = 4
    keypoint_weight: float = 20.0
    """Weight of the auxiliary keypoint loss, the same for every policy."""
    decoded_weight: float = 1.0
    """Weight of what labels mean as actions. 0 leaves Eq. 8: on auxiliary rows every direction of the latent
    space then counts alike, also those that no action depends on."""
    decoded_share: float = 0.35
    """Share of the steps of a chunk, drawn anew in each training step, that are decoded: unbiased, and cheaper."""


class LatentPolicy(Learner[LatentBatch]):
    """Condition, MIP head over latent actions, and a decoder of its own, trained end to end."""

    def __init__(self, config: LatentPolicyConfig, sizes: ObservationSizes, latent: int, action: int) -> None:
        super().__init__()
        self.config = config
        self.weights = {
            "latent": 1.0,
            "action": 1.0,
            "decoding": config.decoded_weight,
            "decoded": config.decoded_weight,
            "keypoints": config.keypoint_weight,
        }
        self.observation = ObservationEncoder(sizes, config.observation)
        self.head = Mip(self.observation.size, latent, config.head)
        self.decoder = MLP(latent, action, layers=config.decoder_layers)

    def losses(self, batch: LatentBatch, context: StepContext) -> dict[str, Tensor]:
        """|z^ - z|^2 on every row, |h(z^) - a|^2 on the target's (Eq. 8), and two terms that carry labels into actions.

        The decoder also reads the target's labels themselves, |h(z) - a|^2; so what an auxiliary label means as an
        action is known, and the prediction is compared with it: |h(z^) - h(z)|^2, with h(z) as a fixed aim.
        """
        rows, (target, _) = batch.every(), batch.parts
        noise = context.noise.over(*batch.parts)
        condition, keypoints = self.observation.training_forward(rows.observed, rows.keypoints, noise)
        steps = self.head.teach(condition, rows.latents.values, noise)
        drawn = self._drawn(noise.alike)
        labels, actions = rows.latents.at(drawn), batch.actions.at(drawn)
        *predicted, meant = self.decoder(torch.stack([*(step[:, drawn] for step in steps), labels.values]))
        known, unknown = slice(target), slice(target, None)
        return {
            "latent": chunk_error(steps, rows.latents.values, rows.latents.is_real),
            "action": chunk_error([step[known] for step in predicted], actions.values, actions.is_real),
            "decoding": chunk_error([meant[known]], actions.values, labels.is_real[known]),
            "decoded": chunk_error(
                [step[unknown] for step in predicted], meant[unknown].detach(), labels.is_real[unknown]
            ),
            "keypoints": keypoints,
        }

    def act(self, observed: Observations) -> Tensor:
        """Chunks of normalized robot actions. (B, H, n_a)."""
        actions: Tensor = self.decoder(self.head.act(self.observation(observed)))
        return actions

    def _drawn(self, noise: Noise) -> Tensor:
        """Which steps of the chunks are decoded."""
        chunk_size = self.config.head.chunk_size
        return noise.uniform(1, chunk_size)[0].argsort()[: max(1, round(self.config.decoded_share * chunk_size))]
