"""Encoder inputs: images, or for a frozen backbone its features. In training, and when the trained policy acts."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from glam.core.progress import Progress
from glam.data.frames import Frames
from glam.data.windows import FrameIndices
from glam.policies.encoders.encoder import EncoderConfig
from glam.policies.encoders.feature_store import stored_features
from glam.training import tensors
from glam_client.resizing import resize

ReadInputs = Callable[[Frames, FrameIndices], Tensor]
"""Encoder inputs at frame indices of a dataset: `Observations.encoder_inputs`."""

FROZEN = "frozen_backbone."
"""Prefix of a frozen backbone's weights in the policy's file."""
_AT_ONCE = 16
"""Frames that are encoded together: many more do not fit into a processor's caches, and take longer each."""


class EncoderInputs:
    """The encoder inputs of a training run, and the pretrained weights of its encoder if there are any."""

    def __init__(self, config: EncoderConfig, given: Path | None, device: str = "cpu") -> None:
        """`given` is a file or folder of pretrained weights; without it the published ones are used."""
        self._config = config
        self._backbone = config.load_backbone(given).to(device)
        self._device = device

    def reader(self, frames: Frames, progress: Progress) -> ReadInputs:
        """A function that reads the encoder inputs of a dataset; features of a frozen backbone are computed now."""
        if not self._config.is_frozen:
            return read_images

        def featurize(rows: FrameIndices) -> Tensor:
            parts = np.array_split(rows, -(-len(rows) // _AT_ONCE))
            return torch.cat([self._features(read_images(frames, part)) for part in parts])

        return stored_features(frames, self._config, featurize, progress)

    def initialize(self, encoder: nn.Module) -> None:
        """Give a new encoder its pretrained weights."""
        self._config.initialize(encoder, self._backbone)

    def frozen_weights(self) -> dict[str, Tensor]:
        """Weights that are stored with the policy beside those that were trained."""
        if not self._config.is_frozen:
            return {}
        return {FROZEN + name: weight.cpu() for name, weight in self._backbone.state_dict().items()}

    @torch.no_grad()
    def _features(self, images: Tensor) -> Tensor:
        features: Tensor = self._backbone(images.to(self._device))
        return features.cpu()


def trained_backbone(config: EncoderConfig, weights: Mapping[str, Tensor], path: Path) -> nn.Module:
    """The module that turns images into a trained policy's encoder inputs; `weights` are the whole file at `path`."""
    backbone = config.frozen_backbone()
    own = {name.removeprefix(FROZEN): weight for name, weight in weights.items() if name.startswith(FROZEN)}
    tensors.fill(backbone.state_dict(), own, path)
    return backbone.eval()


def without_frozen(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights of a policy that were trained."""
    return {name: weight for name, weight in weights.items() if not name.startswith(FROZEN)}


def read_images(frames: Frames, rows: FrameIndices) -> Tensor:
    """Images at frame indices. (B, V, 3, Y, X) in 0..1."""
    return as_images(np.stack([store[rows] for store in frames.images.values()], axis=1))


def as_images(images: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Tensor:
    """(B, V, Y, X, 3) in 0..255 -> (B, V, 3, Y, X) in 0..1."""
    return torch.from_numpy(images).movedim(-1, 2).to(torch.float32).div_(255.0)


def resized(views: Iterable[NDArray[np.uint8]], pixels: int) -> Tensor:
    """Images of each view, (B, Y, X, 3) of any size, resized in integers exactly as training data are."""
    return as_images(np.stack([resize(view, (pixels, pixels)) for view in views], axis=1))
