"""The paper's policy: latent actions from all sources, decoded into robot actions (Eq. 8)."""

from dataclasses import dataclass
from typing import Annotated, Literal

import torch
from torch import Tensor

from glam.nn.gaussian import Noise
from glam.nn.layers import ResMLP
from glam.policies.batches import LatentBatch, Observations
from glam.policies.heads import HEADS
from glam.policies.heads.head import HeadConfig, Prediction, chunk_error, unweighted
from glam.policies.heads.mip import MipConfig
from glam.policies.observation import ObservationConfig, ObservationEncoder, ObservationSizes
from glam.training.learner import Learner, StepContext


@dataclass(frozen=True)
class LatentPolicyConfig:
    """Latent-action policy."""

    observation: ObservationConfig = ObservationConfig()
    head: Annotated[HeadConfig, HEADS] = MipConfig()
    decoder_blocks: int = 1
    """Residual blocks of the action decoder; one makes four linear layers, as in the paper."""
    keypoint_weight: float = 0.0
    """Weight of the auxiliary keypoint loss, which finds the objects of the target's masks. 0: masks are not used."""
    latent_weight: float = 1.0
    """Weight of the error of predicted latent actions."""
    decoded_weight: float = 1.0
    """Weight of the two losses on decoded latent actions. 0 leaves Eq. 8: on auxiliary samples every direction of the
    latent space then counts alike, also those that no action depends on."""
    decoded_share: float = 0.35
    """Share of the steps of a chunk, drawn anew in each training step, that are decoded: unbiased, and cheaper."""
    kind: Literal["latent"] = "latent"

    def build(self, sizes: ObservationSizes, latent: int, action: int) -> "LatentPolicy":
        """A new policy."""
        return LatentPolicy(self, sizes, latent, action)


class LatentPolicy(Learner[LatentBatch]):
    """Observation encoder, a head over latent actions, and an action decoder, trained end to end."""

    def __init__(self, config: LatentPolicyConfig, sizes: ObservationSizes, latent: int, action: int) -> None:
        super().__init__()
        self.config = config
        self.observation = ObservationEncoder(sizes, config.observation)
        self.weights = {
            "latent": config.latent_weight,
            "action": 1.0,
            "decoding": config.decoded_weight,
            "decoded": config.decoded_weight,
            **self.observation.auxiliary_weights(config.keypoint_weight),
        }
        self.head = config.head.build(self.observation.size, latent)
        self.decoder = ResMLP(latent, action, blocks=config.decoder_blocks)

    def losses(self, batch: LatentBatch, context: StepContext) -> dict[str, Tensor]:
        """The head's loss on all samples and |h(z^) - a|^2 on the target's (Eq. 8), and two more.

        z^ are the head's predictions of the clean chunk. The decoder h is also trained on the target's labels,
        |h(z) - a|^2. On auxiliary samples, whose actions are unknown, the decoded prediction is compared with the
        decoded label: |h(z^) - h(z)|^2, without gradient through h(z).
        """
        samples, (target, _) = batch.every(), batch.parts
        noise = context.noise.over(*batch.parts)
        condition, auxiliary = self.observation.training_forward(samples.observed, samples.keypoints, noise)
        output = self.head.training_forward(condition, samples.latents, noise)
        drawn = self._drawn(noise.alike)
        labels, actions = samples.latents.at(drawn), batch.actions.at(drawn)
        latents = [*(part.chunk[:, drawn] for part in output.predictions), labels.values]
        *decoded, decoded_labels = self.decoder(torch.stack(latents))
        known, unknown = slice(target), slice(target, None)
        predictions = [Prediction(one, part.weight) for one, part in zip(decoded, output.predictions, strict=True)]
        return {
            "latent": output.loss,
            "action": chunk_error(_part(predictions, known), actions.values, actions.is_real),
            "decoding": chunk_error(unweighted([decoded_labels[known]]), actions.values, labels.is_real[known]),
            "decoded": chunk_error(
                _part(predictions, unknown), decoded_labels[unknown].detach(), labels.is_real[unknown]
            ),
            **auxiliary,
        }

    def act(self, observed: Observations) -> Tensor:
        """Chunks of normalized robot actions. (B, H, n_a)."""
        return self.act_on(self.observation(observed))

    def act_on(self, condition: Tensor) -> Tensor:
        """The same for encoded observations c_t. (B, c) -> (B, H, n_a)."""
        return self.decoder(self.head.sample(condition))

    def _drawn(self, noise: Noise) -> Tensor:
        """The steps of the chunks that are decoded."""
        chunk_size = self.config.head.chunk_size
        return noise.uniform(1, chunk_size)[0].argsort()[: max(1, round(self.config.decoded_share * chunk_size))]


def _part(predictions: list[Prediction], samples: slice) -> list[Prediction]:
    return [Prediction(part.chunk[samples], part.weight[samples]) for part in predictions]
