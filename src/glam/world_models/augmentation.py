"""Augmentation of the images that a world model learns from; labels are always made from images as recorded."""

from dataclasses import astuple, dataclass

import torch
from torch import Tensor
from torch.nn import functional

from glam.nn.gaussian import Noise

_BINOMIAL = torch.tensor([[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]) / 16
_GREY = 0.5


@dataclass(frozen=True)
class Augmentation:
    """Random changes of images, drawn once for each window and the same for all its frames; 0 for none.

    What a window is reconstructed to is changed like what is seen of it. Values may leave the range 0..1.
    """

    gain: float = 0.0
    """Each channel is multiplied by a number in 1 +- gain."""
    contrast: float = 0.0
    """All channels are stretched about the middle grey by a number in 1 +- contrast."""
    offset: float = 0.0
    """A number in +- offset is added to each channel, whose values lie in 0..1."""
    blur: float = 0.0
    """Largest weight, at most 1, of the image after a 3 x 3 blur."""
    noise: float = 0.0
    """Largest standard deviation of noise on each pixel and frame."""
    cut_out: float = 0.0
    """Side of a grey square at a random place in every channel, as a share of the image's side."""

    def applied(self, image: Tensor, noise: Noise) -> Tensor:
        """Images of the same shape. (B, T, C, Y, X) in 0..1."""
        if not any(astuple(self)):
            return image
        image = self._recoloured(image, noise)
        if self.blur:
            weight = self.blur * _per_window(noise.uniform(len(image)))
            image = torch.lerp(image, _smoothed(image), weight)
        if self.noise:
            image = image + self.noise * _per_window(noise.uniform(len(image))) * noise.normal(*image.shape)
        return self._cut(image, noise) if self.cut_out else image

    def _recoloured(self, image: Tensor, noise: Noise) -> Tensor:
        windows, channels = len(image), image.shape[2]
        gain = 1.0 + self.gain * _signed(noise.uniform(windows, channels))
        contrast = 1.0 + self.contrast * _signed(noise.uniform(windows, 1))
        offset = self.offset * _signed(noise.uniform(windows, channels))
        # gain * (grey + contrast * (image - grey)) + offset, as one product and one sum
        slope, shift = gain * contrast, gain * _GREY * (1.0 - contrast) + offset
        return image * slope[:, None, :, None, None] + shift[:, None, :, None, None]

    def _cut(self, image: Tensor, noise: Noise) -> Tensor:
        places = noise.uniform(len(image), 2)
        rows, columns = (
            _within(place, size, self.cut_out) for place, size in zip(places.T, image.shape[3:], strict=True)
        )
        square = rows[:, None, None, :, None] & columns[:, None, None, None, :]
        return image.masked_fill(square, _GREY)


NO_AUGMENTATION = Augmentation()
COLOURS = Augmentation(gain=0.5, contrast=0.5, offset=0.3)
"""For RGB: rooms, lights and bodies of other colours. Quick trials chose it; see docs/method/glam.md."""


def _signed(uniform: Tensor) -> Tensor:
    return 2.0 * uniform - 1.0


def _per_window(values: Tensor) -> Tensor:
    return values.view(-1, 1, 1, 1, 1)


def _smoothed(image: Tensor) -> Tensor:
    channels = image.shape[2]
    padded = functional.pad(image.flatten(0, 1), (1, 1, 1, 1), mode="replicate")
    kernel = _BINOMIAL.to(image.device).expand(channels, 1, 3, 3)
    return functional.conv2d(padded, kernel, groups=channels).view(image.shape)


def _within(place: Tensor, size: int, share: float) -> Tensor:
    """The pixels of a row or column that a square covers, whose place in 0..1 is `place`. (B,) -> (B, size)."""
    side = share * size
    first = place[:, None] * (size - side)
    pixels = torch.arange(size, device=place.device) + 0.5
    return (pixels >= first) & (pixels < first + side)
