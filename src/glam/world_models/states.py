"""The latent state x = (y, pose): encoded from an observation, and decoded back to its image.

The pose is all that a model sees of the hands beside the image: end-effector poses, fingertip tracks, or both.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

from glam.nn.flagged import Flagged
from glam.nn.gaussian import Noise
from glam.world_models.batches import NO_AUGMENTATION, Augmentation, Windows
from glam.world_models.objectives import gaussian_error, image_error, mask_error
from glam.world_models.parts import PartsConfig, Sizes


@dataclass(frozen=True)
class StatesConfig:
    """The parts of a state."""

    observation: Literal["images", "masks"] = "images"
    """RGB, or object masks for the methods whose names have -o."""
    has_image: bool = True
    """False for the ablation that sees end-effector poses only."""
    has_pose: bool = True
    """False for the ablation that sees images only."""
    reconstruction_weight: float = 10.0
    """Weight of -log p(o | x), a sum over pixels. 1 is exactly the ELBO, but then the gradient of the alignment, which
    is divided by a small variance, dominates in the encoder and little of the image remains in y."""
    reconstructed_fraction: float = 0.5
    """Fraction of the frames, drawn anew in each step, whose image is reconstructed: unbiased, at half the cost."""
    augmentation: Augmentation = NO_AUGMENTATION
    """Changes of the images in training."""


class States(NamedTuple):
    """Latent states of windows of frames."""

    feature: Tensor  # y, (B, T, d_o)
    pose: Tensor  # (B, T, p)

    @property
    def x(self) -> Tensor:
        """Both parts. (B, T, d_o + p)."""
        return torch.cat(self, dim=-1)

    def current(self) -> "States":
        """All frames but the last: those that have a next frame."""
        return States(self.feature[:, :-1], self.pose[:, :-1])

    def next(self) -> "States":
        """All frames but the first: the next frames of `current`."""
        return States(self.feature[:, 1:], self.pose[:, 1:])

    def ahead(self, frames: int, count: int) -> tuple[Tensor, ...]:
        """x_t, ..., x_{t + frames - 1} for the first `count` frames t; beyond the last frame, that one is repeated.

        Each is (B, count, d_o + p).
        """
        x = self.x
        missing = max(0, count + frames - 1 - x.shape[1])
        held = torch.cat([x, x[:, -1:].expand(-1, missing, -1)], dim=1) if missing else x
        return tuple(held[:, step : step + count] for step in range(frames))

    def without_last(self, frames: int) -> "States":
        """All frames but the last ones, which an IDM sees and nothing else does."""
        kept = self.feature.shape[1] - frames
        return States(self.feature[:, :kept], self.pose[:, :kept])

    def first(self, windows: int) -> "States":
        """The states of the first windows of the batch."""
        return States(self.feature[:windows], self.pose[:windows])

    def detach(self) -> "States":
        """The same states without a gradient."""
        return States(self.feature.detach(), self.pose.detach())


class StateModel(nn.Module):
    """q(x | o) and p(o | x). A part that the config leaves out has size zero."""

    def __init__(self, sizes: Sizes, parts: PartsConfig, config: StatesConfig) -> None:
        super().__init__()
        self.config = config
        self.feature_size = parts.encoder.feature_size if config.has_image else 0
        self.pose_size = sizes.pose if config.has_pose else 0
        self.pose_parts = Flagged(sizes.groups if config.has_pose else ())
        if config.has_image:
            self.encoder = parts.encoder.encoder(sizes.image)
            self.decoder = parts.encoder.decoder(sizes.image)

    @property
    def size(self) -> int:
        """Number of entries of x."""
        return self.feature_size + self.pose_size

    def encode(self, windows: Windows) -> States:
        """States of every frame."""
        shape = windows.pose.shape[:2]
        pose = windows.pose[..., : self.pose_size]
        if not self.config.has_image:
            return States(pose.new_zeros(*shape, 0), pose)
        feature: Tensor = self.encoder(windows.image.flatten(0, 1))
        return States(feature.view(*shape, -1), pose)

    def with_idm_pose(self, states: States, windows: Windows) -> States:
        """The same states with the poses that the IDM sees."""
        return States(states.feature, windows.idm_pose[..., : self.pose_size])

    def pose_error(self, prediction: Tensor, truth: Tensor) -> Tensor:
        """-log p of the next poses: of what is known of them, and not of the flags that say so. (..., p) -> scalar."""
        if not self.pose_parts.groups:
            return gaussian_error(prediction, truth)
        known = self.pose_parts.known(truth)
        return gaussian_error(prediction * known, truth * known)

    def reconstruction_error(self, feature: Tensor, image: Tensor, noise: Noise) -> Tensor:
        """-log p(o | x) of some frames of each window. (B, T, d_o), (B, T, C, Y, X) -> scalar."""
        if not self.config.has_image:
            return feature.new_zeros(())
        windows, frames = feature.shape[:2]
        order = noise.uniform(windows, frames).argsort(dim=1)
        chosen = order[:, : max(1, round(self.config.reconstructed_fraction * frames))]  # as many in each window
        window = torch.arange(windows, device=feature.device)[:, None]
        prediction = self.decoder(feature[window, chosen].flatten(0, 1))
        error = mask_error if self.config.observation == "masks" else image_error
        return error(prediction, image[window, chosen].flatten(0, 1))

    def image(self, feature: Tensor) -> Tensor:
        """p(o | x) as an image in 0..1. (N, d_o) -> (N, C, Y, X)."""
        decoded: Tensor = self.decoder(feature)
        return decoded.sigmoid() if self.config.observation == "masks" else decoded.clamp(0.0, 1.0)
