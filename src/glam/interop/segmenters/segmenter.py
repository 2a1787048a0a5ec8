"""Interface of models that segment objects from hints.

Places are in pixels of the image, x to the right and y down: the middle of the upper left pixel is at (0.5, 0.5).
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from glam.core.workers import Progress

Images = NDArray[np.uint8]
"""(T, Y, X, 3) RGB."""
Logits = NDArray[np.float32]
"""(Y, X); above 0 is inside."""
Masks = NDArray[np.bool_]
"""(T, Y, X)."""

ON, OFF, UPPER_LEFT, LOWER_RIGHT = 1, 0, 2, 3


@dataclass(frozen=True, eq=False)
class Hint:
    """Points that show where an object is."""

    points: tuple[tuple[float, float], ...]
    """(x, y) each."""
    kinds: tuple[int, ...]
    """Of each point: `ON` the object, `OFF` it, or one of two corners of a box around it."""

    def also(self, kind: int, *points: tuple[float, float]) -> "Hint":
        """The hint with more points of a kind."""
        return Hint((*self.points, *points), (*self.kinds, *(kind,) * len(points)))


@dataclass(frozen=True, eq=False)
class Guesses:
    """Candidate masks for one hint: the model cannot know whether a part or the whole is meant."""

    logits: NDArray[np.float32]
    """(G, Y, X)."""
    scores: NDArray[np.float32]
    """(G,): how well the model thinks each fits, 0..1."""


class EncodedVideo(Protocol):
    """Video that a model has encoded."""

    def guesses(self, frame: int, hint: Hint) -> Guesses:
        """The object that a hint points at."""


class Segmenter(Protocol):
    """A model with its weights."""

    @property
    def provenance(self) -> dict[str, str]:
        """Identity of model and weights, as plain JSON."""

    def encode_video(self, images: Images) -> EncodedVideo:
        """Prepare a video; frames are encoded when they are first needed."""


class MaskMaker(Protocol):
    """Method that makes the masks of a whole dataset."""

    @property
    def objects(self) -> tuple[str, ...]:
        """Names in the order of the mask channels."""

    @property
    def notes(self) -> dict[str, Any]:
        """Everything that shapes the masks, as plain JSON."""

    def masks(self, episode: int, camera: str, images: Images, progress: Progress) -> dict[str, Masks]:
        """Masks of every object in one camera's video of an episode; `progress` counts frames."""
