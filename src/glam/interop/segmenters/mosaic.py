"""Several small images on one canvas: a model that takes 1024 x 1024 pixels sees several in one look.

The encoder of such a model takes as long for an image of 96 pixels as for one of 1024. Side by side, each image
still has several pixels of the canvas for one of its own.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from glam.interop.segmenters.segmenter import Images, Logits

CANVAS = 1024
MASK = 256
"""Side of the masks that a model gives for a whole canvas."""
_FINEST = 2.5
"""Pixels of the canvas for one of an image's own, at least."""


@dataclass(frozen=True)
class Mosaic:
    """Images of one size in a square of `per_side` rows and columns, each in the upper left of its place."""

    size: tuple[int, int]
    """Height and width of an image."""
    per_side: int

    @classmethod
    def fitting(cls, size: tuple[int, int]) -> "Mosaic":
        """As many images as cost little: each keeps 2.5 pixels of the canvas for one of its own."""
        return cls(size, max(1, int(CANVAS / (_FINEST * max(size)))))

    @property
    def count(self) -> int:
        """Images on one canvas."""
        return self.per_side**2

    @property
    def scale(self) -> float:
        """Pixels of the canvas for one of an image."""
        return self._place / max(self.size)

    @property
    def _place(self) -> int:
        return CANVAS // self.per_side

    def corner(self, number: int) -> tuple[int, int]:
        """(x, y) on the canvas of an image's upper left corner."""
        row, column = divmod(number, self.per_side)
        return column * self._place, row * self._place

    def canvas(self, images: Images) -> NDArray[np.uint8]:
        """(1024, 1024, 3) of up to `count` images; free places show the last one again."""
        drawn = np.empty((CANVAS, CANVAS, 3), np.uint8)
        drawn[:] = images[0].reshape(-1, 3).mean(0).astype(np.uint8)
        height, width = (round(side * self.scale) for side in self.size)
        for number in range(self.count):
            x, y = self.corner(number)
            image = Image.fromarray(images[min(number, len(images) - 1)])
            resized = image.resize((width, height), Image.Resampling.BICUBIC)
            drawn[y : y + height, x : x + width] = np.asarray(resized, np.uint8)
        return drawn

    def on_canvas(self, number: int, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, 2) places in an image as places on the canvas."""
        return (points * self.scale + np.array(self.corner(number))).astype(np.float32)

    def cut(self, number: int, mask: Logits) -> Logits:
        """Part of the model's mask of the whole canvas (256, 256) that belongs to one image, at the image's size."""
        edges = self._edges(number)
        height, width = self.size
        cut = Image.fromarray(mask).resize((width, height), Image.Resampling.BILINEAR, box=edges)
        return np.asarray(cut, np.float32)

    def _edges(self, number: int) -> tuple[float, float, float, float]:
        ratio = MASK / CANVAS
        x, y = (place * ratio for place in self.corner(number))
        height, width = (side * self.scale * ratio for side in self.size)
        return x, y, x + width, y + height
