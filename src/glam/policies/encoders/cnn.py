"""A small convolutional network per view, trained with the policy from random weights.

Each channel of a network's last map is read as the point in the image where it is active (spatial softmax).

Convolutions are much of a training step on a CPU. Where the processor multiplies in bf16, a step takes 15 % less
processor time with them in bf16 and all else in fp32 (docs/results/cpu_paths.json). Their rounding, of 1 in 256, is
small beside the random changes of the images; a policy that acts computes in fp32.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, Self

import torch
from torch import Tensor, nn

from glam.nn.layers import multiplies_in_bf16
from glam.policies.encoders.encoder import EncoderConfig, EncoderSize, Projector


@dataclass(frozen=True)
class CnnConfig(EncoderConfig):
    """Small CNN with spatial softmax; `pixels` is a multiple of 4."""

    kind: Literal["cnn"] = "cnn"
    widths: tuple[int, ...] = (16, 32)
    """Channels of two convolutions that halve the image, or of one that quarters it."""
    points: int = 32
    """Points for each view."""
    precision: Literal["fp32", "bf16"] = "bf16"
    """Of the convolutions, in training on a CPU. bf16 needs a processor with bf16 instructions; others take fp32."""

    @classmethod
    def sized(cls, size: EncoderSize) -> Self:
        """Images of 16, 64 or 96 pixels."""
        if size == "tiny":
            return cls(pixels=16, widths=(4, 4), points=8, precision="fp32", hidden=16, code=8)
        return cls() if size == "small" else cls(pixels=96, widths=(32, 64), points=64)

    def build(self, views: int) -> nn.Module:
        """A new network."""
        return Cnn(views, self)


class Cnn(nn.Module):
    """Views -> maps (one network each) -> a point for each channel -> projector -> code.

    A convolution is translation-equivariant, and a spatial softmax keeps that: where an object appears in a part of
    the image in which training never showed it, its point moves along. A network that flattens its maps has to learn
    every place separately.
    """

    def __init__(self, views: int, config: CnnConfig) -> None:
        super().__init__()
        self.precision = config.precision
        self.views = nn.ModuleList(_maps(config) for _ in range(views))
        self.sharpness = nn.Parameter(torch.zeros(views, config.points))
        """Logarithm of each channel's inverse softmax temperature."""
        self.project = Projector(3 * views * config.points, config)

    def forward(self, images: Tensor) -> Tensor:
        """(B, V, 3, Y, X) in 0..1 -> (B, code)."""
        in_bf16 = self.precision == "bf16" and self.training and images.is_cpu and multiplies_in_bf16()
        dtype = torch.bfloat16 if in_bf16 else images.dtype
        points = []
        for number, network in enumerate(self.views):
            view = images[:, number].to(dtype, memory_format=torch.channels_last)
            with torch.autocast("cpu", torch.bfloat16, enabled=in_bf16):
                maps = network(view)
            points.append(spatial_softmax(maps.to(images.dtype), self.sharpness[number].exp()))
        return self.project(torch.cat(points, dim=-1))


def spatial_softmax(maps: Tensor, sharpness: Tensor) -> Tensor:
    """Mean (x, y) in -1..1 of each channel's softmax over the image, and its peak. (B, C, Y, X) -> (B, 3 C)."""
    height, width = maps.shape[-2:]
    across = torch.linspace(-1.0, 1.0, width, device=maps.device).repeat(height)
    down = torch.linspace(-1.0, 1.0, height, device=maps.device).repeat_interleave(width)
    pixels = maps.permute(0, 2, 3, 1).flatten(1, 2)  # (B, Y X, C): the order in which channels-last maps lie in memory
    places = torch.stack([across, down]) @ (pixels * sharpness).softmax(1)  # (B, 2, C)
    return torch.cat([places.flatten(1), pixels.max(1).values], dim=-1)


def _maps(config: CnnConfig) -> nn.Sequential:
    factor = 4 // 2 ** (len(config.widths) - 1)  # by which each convolution makes the image smaller
    layers: list[nn.Module] = []
    for before, width in pairwise((3, *config.widths)):
        layers += [nn.Conv2d(before, width, 2 * factor, stride=factor, padding=factor // 2), nn.ReLU(inplace=True)]
    layers.append(nn.Conv2d(config.widths[-1], config.points, kernel_size=3, padding=1))
    # Typed overloads of `to` do not know this keyword.
    return nn.Sequential(*layers).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
