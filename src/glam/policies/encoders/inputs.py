"""Encoder inputs, in training and when the trained policy acts: images, or for a frozen backbone its features on disk.

Features of a dataset are a folder named by what it holds: the dataset's content, the size of its images, the backbone
with the sha256 of its weights, and the version of this format. It grows block by block, each of which appears complete
or not at all, so that interrupted work goes on. Deleting it costs time only.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from glam.core import files
from glam.core.errors import GlamError
from glam.core.workers import Progress, no_progress
from glam.data.cache import default_folder
from glam.data.cache_upkeep import checksums, hold, is_intact, mapped
from glam.data.decoding import writing
from glam.data.windows import FrameIndices, Frames
from glam.policies.encoders.encoder import EncoderConfig
from glam.training import tensors
from glam_client.resizing import resize

FORMAT_VERSION = 2
BLOCK = 512
"""Frames in a block: the most that an interruption can cost."""

Floats = NDArray[np.float32]
Featurize = Callable[[FrameIndices], Tensor]
"""Features of frames of a dataset. (B,) -> (B, V, size)."""


@dataclass(frozen=True, eq=False)
class StoredFeatures:
    """Features of every frame of one dataset, as memory maps."""

    content_id: str
    """Identity of the dataset."""
    views: tuple[str, ...]
    """Keys of the images, in the order of the features."""
    blocks: tuple[Floats, ...]

    def __call__(self, frames: Frames, indices: FrameIndices) -> Tensor:
        """Features at these frames, of those views that `frames` has. (B,) -> (B, V, size)."""
        if frames.content_id != self.content_id:
            raise ValueError(f"features of the dataset {self.content_id}, asked for those of {frames.content_id}")
        owners, places = np.divmod(indices, BLOCK)
        found = np.empty((len(indices), *self.blocks[0].shape[1:]), np.float32)
        for owner in np.unique(owners):
            found[owners == owner] = self.blocks[owner][places[owners == owner]]
        return torch.from_numpy(found[:, [self.views.index(key) for key in frames.images]])


def folder_of(frames: Frames, config: EncoderConfig) -> Path:
    """The folder of a dataset's features."""
    height, width = next(iter(frames.images.values())).shape[1:3]
    backbone, _ = config.feature_identity()
    return default_folder() / f"{frames.content_id[:32]}-{height}x{width}-features-{backbone}-v{FORMAT_VERSION}"


def stored_features(
    frames: Frames, config: EncoderConfig, featurize: Featurize, progress: Progress = no_progress
) -> StoredFeatures:
    """Features of a dataset; `featurize` makes the blocks that are missing or damaged."""
    folder, shape = folder_of(frames, config), (len(frames.images), config.feature_identity()[1])
    blocks = []
    for first in range(0, len(frames), BLOCK):
        indices = np.arange(first, min(first + BLOCK, len(frames)))
        path = folder / f"rows-{first:08d}.npy"
        if not _is_sound(path, (len(indices), *shape)):
            _write(path, featurize(indices).numpy())
            progress(int(indices[-1]) + 1, len(frames))
        blocks.append(mapped(path))
    hold(folder)
    return StoredFeatures(frames.content_id, tuple(frames.images), tuple(blocks))


def _is_sound(path: Path, shape: tuple[int, ...]) -> bool:
    try:
        found = mapped(path)
    except (OSError, ValueError):
        return False
    if found.shape != shape or found.dtype != np.float32:
        return False
    try:
        return is_intact(found, files.read_json(_checksums_of(path)))
    except GlamError:
        return False


def _write(path: Path, values: Floats) -> None:
    with writing(path):
        with files.replacing(path) as temporary, temporary.open("wb") as file:
            np.save(file, values)
        files.write_json(_checksums_of(path), checksums(values))


def _checksums_of(path: Path) -> Path:
    return path.with_suffix(".json")


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

        def featurize(indices: FrameIndices) -> Tensor:
            parts = np.array_split(indices, -(-len(indices) // _AT_ONCE))
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
    own = {name.removeprefix(FROZEN): weight for name, weight in weights.items() if name.startswith(FROZEN)}
    return tensors.built(config.frozen_backbone, own, path).eval()


def without_frozen(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights of a policy that were trained."""
    return {name: weight for name, weight in weights.items() if not name.startswith(FROZEN)}


def read_images(frames: Frames, indices: FrameIndices) -> Tensor:
    """Images at frame indices. (B, V, 3, Y, X) in 0..1."""
    return as_images(np.stack([store[indices] for store in frames.images.values()], axis=1))


def as_images(images: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Tensor:
    """(B, V, Y, X, 3) in 0..255 -> (B, V, 3, Y, X) in 0..1."""
    return torch.from_numpy(images).movedim(-1, 2).to(torch.float32).div_(255.0)


def resized(views: Iterable[NDArray[np.uint8]], pixels: int) -> Tensor:
    """Images of each view, (B, Y, X, 3) of any size, resized in integers exactly as training data are."""
    return as_images(np.stack([resize(view, (pixels, pixels)) for view in views], axis=1))
