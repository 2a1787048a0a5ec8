"""Features of frozen backbones on disk: every image is encoded once, and training reads numbers.

Features of a dataset are a folder named by what it holds: the dataset's content, the size of its images, the backbone
with the sha256 of its weights, and the version of this format. It grows block by block, each of which appears complete
or not at all, so that interrupted work goes on. Deleting it costs time only.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from glam.core import files
from glam.core.progress import Progress, no_progress
from glam.data.cache import default_folder
from glam.data.cache_upkeep import hold
from glam.data.decoding import writing
from glam.data.frames import Frames
from glam.data.windows import FrameIndices
from glam.policies.encoders.encoder import EncoderConfig

FORMAT_VERSION = 1
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

    def __call__(self, frames: Frames, rows: FrameIndices) -> Tensor:
        """Features at the frame indices `rows`, of those views that `frames` has. (B,) -> (B, V, size)."""
        if frames.content_id != self.content_id:
            raise ValueError(f"features of the dataset {self.content_id}, asked for those of {frames.content_id}")
        owners, places = np.divmod(rows, BLOCK)
        found = np.empty((len(rows), *self.blocks[0].shape[1:]), np.float32)
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
        rows = np.arange(first, min(first + BLOCK, len(frames)))
        path = folder / f"rows-{first:08d}.npy"
        if not _is_sound(path, (len(rows), *shape)):
            _write(path, featurize(rows).numpy())
            progress(int(rows[-1]) + 1, len(frames))
        blocks.append(np.asarray(np.load(path, mmap_mode="r")))  # plain indexing is quicker than that of np.memmap
    hold(folder)
    return StoredFeatures(frames.content_id, tuple(frames.images), tuple(blocks))


def _is_sound(path: Path, shape: tuple[int, ...]) -> bool:
    try:
        found = np.load(path, mmap_mode="r")
    except (OSError, ValueError, EOFError):
        return False
    return bool(found.shape == shape and found.dtype == np.float32)


def _write(path: Path, values: Floats) -> None:
    with writing(path), files.replacing(path) as temporary, temporary.open("wb") as file:
        np.save(file, values)
