"""The observation c_t of a policy: visual code, end-effector pose, and the robot's state where it is known.

An auxiliary source has no robot state, so c_t holds it as (m s, m) with m = 0 there, and the target's own state is
hidden from a share of its rows: otherwise m would be a perfect label of the source, and the network could learn two
policies that have nothing to do with each other. The pose, which every source has, always stays.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from glam.nn.linear import Linear
from glam.nn.noise import Noise
from glam.policies.augmentation import jittered, shifted
from glam.policies.batches import Keypoints, Observations
from glam.policies.eyes import EncoderConfig, build_encoder, is_frozen
from glam.policies.vision import VisionConfig


@dataclass(frozen=True)
class ConditionConfig:
    """What a policy looks at, and how its eyes are trained."""

    vision: EncoderConfig = VisionConfig()
    state_dropout: float = 0.5
    """Share of the target's training rows whose robot state is hidden."""
    noise: float = 0.2
    """Deviation of noise on pose and state in training, in their own deviations; see `Condition._blurred`."""
    jitter: float = 0.1
    """Largest change of brightness and of each colour in training, as a factor; none for frozen eyes."""
    shift: int = 0
    """Most pixels by which each view is moved at random in training; none for frozen eyes."""


@dataclass(frozen=True)
class ConditionSizes:
    """What only the data can tell."""

    views: int
    pose: int
    state: int
    keypoints: int
    """Numbers in the lesson for the eyes: two for each object and view."""


class _NoLesson(nn.Module):
    """Finds nothing: a set without masks does not tell where its objects are."""

    def forward(self, code: Tensor) -> Tensor:
        return code[:, :0]


class Condition(nn.Module):
    """Observations -> c_t, with a head that finds the objects in the images while training."""

    def __init__(self, sizes: ConditionSizes, config: ConditionConfig) -> None:
        super().__init__()
        self.config = config
        self.eyes = build_encoder(sizes.views, config.vision)
        self.find = Linear(config.vision.code, sizes.keypoints) if sizes.keypoints else _NoLesson()
        self.size = config.vision.code + sizes.pose + sizes.state + 1

    def forward(self, seen: Observations) -> Tensor:
        """c_t. (B, c)."""
        return _joined(self.eyes(seen.images), seen)

    def found(self, seen: Observations) -> Tensor:
        """Where the eyes find the objects, as `Keypoints.centroids`. (B, k)."""
        places: Tensor = self.find(self.eyes(seen.images))
        return places

    def teach(self, seen: Observations, keypoints: Keypoints, noise: Noise) -> tuple[Tensor, Tensor]:
        """c_t of training rows, varied at random, and the error of finding the objects."""
        varied, lesson = self._varied(seen, keypoints, noise)
        varied = self._blurred(self._hidden(varied, noise), noise)
        code = self.eyes(varied.images)
        squared = (self.find(code) - lesson.centroids) ** 2 * lesson.is_seen
        return _joined(code, varied), squared.sum() / lesson.is_seen.sum().clamp_min(1.0)

    def _varied(self, seen: Observations, keypoints: Keypoints, noise: Noise) -> tuple[Observations, Keypoints]:
        """Other colours, and with `shift` other places of the scene in the image, which the lesson follows."""
        if is_frozen(self.config.vision):
            return seen, keypoints
        images = jittered(seen.images, self.config.jitter, noise)
        if not self.config.shift:
            return replace(seen, images=images), keypoints
        moved = shifted(images, self.config.shift, noise)
        objects = keypoints.centroids.shape[1] // moved.moves[0].numel()
        centroids = keypoints.centroids + moved.moves.flatten(1).repeat_interleave(objects, dim=1)
        return replace(seen, images=moved.images), replace(keypoints, centroids=centroids)

    def _hidden(self, seen: Observations, noise: Noise) -> Observations:
        shown = (noise.uniform(len(seen.pose), 1) >= self.config.state_dropout).to(seen.has_state.dtype)
        return replace(seen, has_state=seen.has_state * shown)

    def _blurred(self, seen: Observations, noise: Noise) -> Observations:
        """Where the hand is, not quite: exactly, it might tell of each demonstration how it goes on."""
        pose = seen.pose + self.config.noise * noise.normal(*seen.pose.shape)
        state = seen.state + self.config.noise * noise.normal(*seen.state.shape)
        return replace(seen, pose=pose, state=state)


def _joined(code: Tensor, seen: Observations) -> Tensor:
    return torch.cat([code, seen.pose, seen.state * seen.has_state, seen.has_state], dim=-1)
