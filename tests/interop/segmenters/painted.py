"""Films of coloured squares, and a stand-in for a model that sees them as they are."""

from dataclasses import dataclass, field

import numpy as np

from glam.interop.segmenters.regions import pieces
from glam.interop.segmenters.segmenter import ON, UPPER_LEFT, Guesses

GREY, RED, BLUE, BLACK = (180, 175, 165), (200, 30, 30), (30, 60, 200), (15, 15, 15)
SIZE = 48
SIDE = 10


def square(image, x, y, colour, side=SIDE):
    """Paint a square; what is outside the image is not painted."""
    image[max(y, 0) : max(y + side, 0), max(x, 0) : max(x + side, 0)] = colour


def film(*paths, frames=12):
    """Squares on grey: (colour, frame -> (x, y)) each, later ones in front."""
    images = np.full((frames, SIZE, SIZE, 3), GREY, np.uint8)
    for frame, image in enumerate(images):
        for colour, path in paths:
            square(image, *path(frame), colour)
    return images


def truth(images, colour):
    """(T, Y, X) of everything of a colour."""
    return (images == np.array(colour, np.uint8)).all(-1)


@dataclass
class PaintedEncodedVideo:
    """Guesses the area of one colour around a point, all that is not grey, and nothing."""

    images: np.ndarray
    blur: int = 0
    asked: list = field(default_factory=list)

    def guesses(self, frame, hint):
        self.asked.append((frame, hint))
        image = self.images[frame]
        x, y = self._place(hint)
        column, row = min(int(x), image.shape[1] - 1), min(int(y), image.shape[0] - 1)
        same = (image == image[row, column]).all(-1)
        (thing,) = [piece for piece in pieces(same) if piece[row, column]]
        shifted = np.roll(thing, self.blur, axis=1)
        everything = (image != np.array(GREY, np.uint8)).any(-1)
        masks = np.stack([everything, shifted, np.zeros_like(thing)])
        return Guesses(np.where(masks, 8.0, -8.0).astype(np.float32), np.array([0.7, 0.9, 0.2], np.float32))

    def _place(self, hint):
        on = [point for point, kind in zip(hint.points, hint.kinds, strict=True) if kind == ON]
        if on:
            return on[0]
        assert hint.kinds[0] == UPPER_LEFT
        return np.mean(hint.points, axis=0)


@dataclass
class PaintedSegmenter:
    """A model that needs no weights."""

    blur: int = 0
    appearances: int = 0

    @property
    def provenance(self):
        return {"model": "painted"}

    def encode_video(self, images):
        self.looks += 1
        return PaintedEncodedVideo(images, self.blur)
