"""Image to feature vector and back: four convolutions of kernel 4, stride 2, padding 1 each way.

Both networks keep their weights and images in the channels-last memory format: with few input channels, such as
masks, a convolution in the default format runs many times slower on a CPU. Values do not depend on it.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from glam.core.errors import GlamError
from glam.nn.linear import Linear

LAYERS = 4
REDUCTION = 2**LAYERS


@dataclass(frozen=True)
class ImageShape:
    """Channels (all views stacked), height and width of an image."""

    channels: int
    height: int
    width: int

    def __post_init__(self) -> None:
        """Refuse sizes that cannot be halved four times."""
        if self.height % REDUCTION or self.width % REDUCTION or min(self.channels, self.height, self.width) < 1:
            raise GlamError(
                f"images of {self.height} x {self.width} pixels with {self.channels} channels: "
                f"height and width must be multiples of {REDUCTION}, with at least one channel"
            )

    @property
    def grid(self) -> tuple[int, int]:
        """Height and width after the last convolution."""
        return self.height // REDUCTION, self.width // REDUCTION


@dataclass(frozen=True)
class ConvImageModel:
    """Sizes of the convolutional encoder and of the decoder that mirrors it."""

    kind: Literal["conv"] = "conv"
    widths: tuple[int, int, int, int] = (32, 64, 128, 256)
    """Channels after each convolution; the defaults are the paper's."""
    feature_size: int = 128
    """Size d_o of the visual feature y."""
    is_normalized: bool = True
    """If True, y passes a LayerNorm without gains. Without it a loss between two features can shrink both to zero."""

    def encoder(self, image: ImageShape) -> "VisualEncoder":
        """A new encoder."""
        return VisualEncoder(image, self)

    def decoder(self, image: ImageShape) -> "VisualDecoder":
        """A new decoder."""
        return VisualDecoder(image, self)


class VisualEncoder(nn.Module):
    """4 Conv / ReLU, flattened, then linear to the visual feature y."""

    def __init__(self, image: ImageShape, config: ConvImageModel) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for before, after in zip((image.channels, *config.widths[:-1]), config.widths, strict=True):
            layers += [nn.Conv2d(before, after, kernel_size=4, stride=2, padding=1), nn.ReLU()]
        height, width = image.grid
        self.convolutions = _channels_last(nn.Sequential(*layers))
        self.project = Linear(config.widths[-1] * height * width, config.feature_size)
        self.normalize = (
            nn.LayerNorm(config.feature_size, elementwise_affine=False) if config.is_normalized else nn.Identity()
        )

    def forward(self, image: Tensor) -> Tensor:
        """(B, C, Y, X) in 0..1 -> (B, d_o)."""
        maps = self.convolutions(image.contiguous(memory_format=torch.channels_last))
        feature: Tensor = self.normalize(self.project(maps.flatten(1)))
        return feature


class VisualDecoder(nn.Module):
    """Linear from y, then 4 ConvT with a ReLU before each. Its output is linear: intensities or logits."""

    def __init__(self, image: ImageShape, config: ConvImageModel) -> None:
        super().__init__()
        widths = tuple(reversed(config.widths))
        height, width = image.grid
        self.expand = Linear(config.feature_size, widths[0] * height * width)
        self.unflatten = nn.Unflatten(1, (widths[0], height, width))
        layers: list[nn.Module] = []
        for before, after in zip(widths, (*widths[1:], image.channels), strict=True):
            layers += [nn.ReLU(), nn.ConvTranspose2d(before, after, kernel_size=4, stride=2, padding=1)]
        self.convolutions = _channels_last(nn.Sequential(*layers))

    def forward(self, feature: Tensor) -> Tensor:
        """(B, d_o) -> (B, C, Y, X)."""
        maps = self.unflatten(self.expand(feature)).contiguous(memory_format=torch.channels_last)
        image: Tensor = self.convolutions(maps)
        return image


def _channels_last(module: nn.Sequential) -> nn.Sequential:
    # The type stubs of `to` lack this keyword.
    return module.to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]
