"""The observation c_t of a policy: visual code, what is known of the hands, and the robot's state where it is known.

An auxiliary source has no robot state, so c_t holds it as (m s, m) with m = 0 there. In training the target's own state
is dropped for a share of its samples: otherwise m would be a perfect label of the source, and the network could learn
two unrelated policies. Tracks, and a pose that only some sources have, are dropped alike and have flags of their own,
so that the policy runs without them. A pose that every source has is never dropped.
"""

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Annotated

import torch
from torch import Tensor, nn

from glam.core.errors import GlamError
from glam.nn.flagged import Flagged
from glam.nn.gaussian import Noise
from glam.nn.layers import Linear
from glam.policies.batches import Keypoints, Observations, color_jitter, random_shift
from glam.policies.encoders import ENCODERS
from glam.policies.encoders.cnn import CnnConfig
from glam.policies.encoders.encoder import EncoderConfig


@dataclass(frozen=True)
class ObservationConfig:
    """The vision encoder of a policy, and the augmentation of its observations in training."""

    encoder: Annotated[EncoderConfig, ENCODERS] = CnnConfig()
    state_dropout: float = 0.5
    """Share of the target's training samples whose robot state is dropped, and of all samples whose tracks are dropped,
    and whose pose is if some source has none."""
    proprio_noise: float = 0.2
    """Standard deviation of the noise on pose and state in training, in units of their own standard deviations.

    Exact values could identify single demonstrations, which a policy would then memorize."""
    color_jitter: float = 0.1
    """Largest change of brightness and of each colour in training, as a factor; none for a frozen backbone."""
    random_shift: float = 0.05
    """Largest random shift of each view in training, as a share of the image's side; none for a frozen backbone.

    Without it an encoder that learns from 100 demonstrations, and from no masks, finds objects less exactly."""

    def __post_init__(self) -> None:
        """Refuse a shift by more than half of an image."""
        if not 0.0 <= self.random_shift <= 0.5:
            raise GlamError(
                f"policy.observation.random_shift is {self.random_shift}; it must be between 0 and 0.5, "
                "as a share of the image's side"
            )


@dataclass(frozen=True)
class ObservationSizes:
    """Sizes that follow from the data."""

    views: int
    pose: int
    """Entries of what is known of the hands: poses, tracks, and flags."""
    state: int
    keypoints: int
    """Numbers of the auxiliary keypoint loss: two for each object and view; 0 without that loss."""
    groups: tuple[int, ...] = ()
    """Sizes of the parts of the pose that may be unknown; it ends with a flag for each, see `glam.nn.flagged`."""


class ObservationEncoder(nn.Module):
    """Observations -> c_t, with a keypoint head where the auxiliary keypoint loss is used."""

    def __init__(self, sizes: ObservationSizes, config: ObservationConfig) -> None:
        super().__init__()
        self.config, self.sizes = config, sizes
        self._hands = Flagged(sizes.groups)
        self._features = [len(list(run)) for _, run in groupby(sizes.groups)]  # a pose is larger than a point
        self.encoder = config.encoder.build(sizes.views)
        self.has_keypoints = sizes.keypoints > 0
        if self.has_keypoints:
            self.keypoint_head = Linear(config.encoder.code, sizes.keypoints)
        self.size = config.encoder.code + sizes.pose + sizes.state + 1

    def forward(self, observed: Observations) -> Tensor:
        """c_t. (B, c)."""
        return _condition(self.encoder(observed.encoder_inputs), observed)

    def seen(self, condition: Tensor) -> Tensor:
        """Visual code and pose in c_t. (B, c) -> (B, f)."""
        return condition[:, : self.size - self.sizes.state - 1]

    def keypoints(self, observed: Observations) -> Tensor:
        """Predicted centroids of the objects, as `Keypoints.centroids`. (B, k)."""
        return self.keypoint_head(self.encoder(observed.encoder_inputs))

    def auxiliary_weights(self, keypoint_weight: float) -> dict[str, float]:
        """Weights of the losses of `training_forward`."""
        return {"keypoints": keypoint_weight} if self.has_keypoints else {}

    def training_forward(
        self, observed: Observations, keypoints: Keypoints, noise: Noise
    ) -> tuple[Tensor, dict[str, Tensor]]:
        """c_t of augmented training samples, and the keypoint loss if it is used."""
        observed, keypoints = self._augmented(observed, keypoints, noise)
        observed = self._with_proprio_noise(self._with_dropout(observed, noise), noise)
        code = self.encoder(observed.encoder_inputs)
        condition = _condition(code, observed)
        if not self.has_keypoints:
            return condition, {}
        squared = (self.keypoint_head(code) - keypoints.centroids) ** 2 * keypoints.is_seen
        return condition, {"keypoints": squared.sum() / keypoints.is_seen.sum().clamp_min(1.0)}

    def _augmented(self, observed: Observations, keypoints: Keypoints, noise: Noise) -> tuple[Observations, Keypoints]:
        """Color jitter and random shift; keypoints move with the image."""
        if self.config.encoder.is_frozen:
            return observed, keypoints
        images = color_jitter(observed.encoder_inputs, self.config.color_jitter, noise)
        most = round(self.config.random_shift * images.shape[-1])
        if not most:
            return replace(observed, encoder_inputs=images), keypoints
        shifted = random_shift(images, most, noise)
        if not self.has_keypoints:
            return replace(observed, encoder_inputs=shifted.images), keypoints
        objects = keypoints.centroids.shape[1] // shifted.moves[0].numel()
        centroids = keypoints.centroids + shifted.moves.flatten(1).repeat_interleave(objects, dim=1)
        return replace(observed, encoder_inputs=shifted.images), replace(keypoints, centroids=centroids)

    def _with_dropout(self, observed: Observations, noise: Noise) -> Observations:
        """Without the state of some samples, the pose of some if it has a flag, and all tracks of some."""
        samples, share = len(observed.pose), self.config.state_dropout
        kept = (noise.uniform(samples, 1) >= share).to(observed.has_state.dtype)
        observed = replace(observed, has_state=observed.has_state * kept)
        if not self._features:
            return observed
        keeps = noise.uniform(samples, len(self._features)) >= share
        keeps = keeps.repeat_interleave(torch.tensor(self._features, device=keeps.device), dim=1)
        return replace(observed, pose=self._hands.kept(observed.pose, keeps))

    def _with_proprio_noise(self, observed: Observations, noise: Noise) -> Observations:
        pose = observed.pose + self.config.proprio_noise * noise.normal(*observed.pose.shape)
        if self._features:  # what is not known stays 0, and flags are exact
            pose = torch.where(self._hands.known(observed.pose) > 0, pose, observed.pose)
        state = observed.state + self.config.proprio_noise * noise.normal(*observed.state.shape)
        return replace(observed, pose=pose, state=state)


def _condition(code: Tensor, observed: Observations) -> Tensor:
    return torch.cat([code, observed.pose, observed.state * observed.has_state, observed.has_state], dim=-1)
