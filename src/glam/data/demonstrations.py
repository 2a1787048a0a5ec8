"""Decoded demonstrations with some episodes held out: what world models and policies are trained on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.core.progress import Progress, no_progress
from glam.data.cache import decoded
from glam.data.frames import Frames
from glam.data.reader import Dataset
from glam.data.sampling import Sampler, StratifiedSampler
from glam.data.sharing import Shared, restricted
from glam.data.splits import Split, hold_out
from glam.data.windows import EpisodeTable, FrameIndices


@dataclass(frozen=True)
class Demonstrations:
    """One decoded dataset with some episodes held out."""

    name: str
    """Name of the dataset in error messages."""
    frames: Frames
    split: Split

    @property
    def train(self) -> EpisodeTable:
        """The training episodes."""
        return self.split.train


@dataclass(frozen=True)
class Reading:
    """Settings with which all datasets of a training are read."""

    pixels: int
    """Height and width to which images are shrunk."""
    held_out: float
    """Fraction of the episodes that is held out."""
    seed: int
    """Seed of that split."""
    workers: int = 2

    def open(self, dataset: Dataset, wanted: Shared, progress: Progress = no_progress) -> Demonstrations:
        """Decode a dataset, keep the wanted features, and hold out some episodes."""
        frames = restricted(decoded(dataset, self.pixels, workers=self.workers, progress=progress), wanted)
        split = hold_out(frames.episodes, frames.content_id, self.held_out, self.seed)
        return Demonstrations(str(dataset.root), frames, split)


class MixedSampler:
    """Draws target and auxiliary items of each step: a pure function of seed and step.

    Auxiliary sources share their part of the batch in proportion to their number of items.
    """

    def __init__(
        self, target: FrameIndices, auxiliary: Sequence[FrameIndices], target_size: int, auxiliary_size: int, seed: int
    ) -> None:
        sizes = [float(len(items)) for items in auxiliary]
        self._target = Sampler(target, target_size, seed)
        self._auxiliary = StratifiedSampler(auxiliary, sizes, auxiliary_size, seed + 1)

    def indices(self, step: int) -> tuple[FrameIndices, tuple[FrameIndices, ...]]:
        """The target's items of a step, and those of each auxiliary source."""
        return self._target.indices(step), self._auxiliary.indices(step)


def episodes_of(table: EpisodeTable) -> list[NDArray[np.intp]]:
    """Frame indices of each episode."""
    return [np.arange(start, start + length) for start, length in zip(table.starts, table.lengths, strict=True)]
