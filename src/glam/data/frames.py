"""Decoded demonstrations: plain arrays with one row per frame. Labelled and unlabelled frames are different types."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.data.schema import ACTION, Schema
from glam.data.windows import EpisodeTable


@dataclass(frozen=True, eq=False)
class Frames:
    """Decoded frames of any dataset. All arrays are read-only; images are memory maps, read from disk when indexed."""

    images: dict[str, NDArray[np.uint8]]
    """(N, Y, X, 3) for each key of `Schema.image_keys`."""
    masks: dict[str, NDArray[np.uint8]]
    """(N, Y, X, C) for each key of `Schema.mask_keys`: 255 times the share of the pixel that the object covers."""
    ee_pose: NDArray[np.float32]
    """(N, 10 K); (N, 0) where no pose was recorded."""
    episodes: EpisodeTable
    schema: Schema
    """Of the dataset; its `image_size` is that of the files, not of the images here."""
    content_id: str
    """Identity of the dataset."""

    def __len__(self) -> int:
        """Number of rows N."""
        return len(self.ee_pose)


@dataclass(frozen=True, eq=False)
class LabelledFrames(Frames):
    """Decoded frames with state and action. `action[t]` takes frame t to frame t + 1."""

    state: NDArray[np.float32]
    """(N, n_s)."""
    action: NDArray[np.float32]
    """(N, n_a)."""


def labelled(frames: Frames, name: str) -> LabelledFrames:
    """The frames of a source that must have actions; `name` is what an error calls it."""
    if not isinstance(frames, LabelledFrames):
        raise GlamError(f"{name}: an auxiliary set, without {ACTION}; a target set is needed here")
    return frames
