"""What a policy sees: one small convolutional network per view, trained with the policy, joined into a 64-d code.

Each channel of a network's last map is read as the point in the image where it is active: a spatial softmax.
"""

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn

from glam.nn.linear import Linear


@dataclass(frozen=True)
class VisionConfig:
    """Size of the eyes."""

    pixels: int = 64
    """Height and width of the images; a multiple of 4."""
    widths: tuple[int, ...] = (16, 32)
    """Channels of two convolutions that halve the image, or of one that quarters it."""
    points: int = 32
    """Points for each view."""
    hidden: int = 256
    code: int = 64
    """Entries of the visual code, as in the paper."""


class Eyes(nn.Module):
    """Views -> maps (one network each) -> a point for each channel -> Linear-LN-GELU-Linear-LN projector.

    A convolution answers alike wherever a thing is, and a point moves with the thing by as much: where it was never
    seen, it is still found. A network that flattens its maps has to learn every place for itself.
    """

    def __init__(self, views: int, config: VisionConfig) -> None:
        super().__init__()
        self.views = nn.ModuleList(_maps(config) for _ in range(views))
        self.sharpness = nn.Parameter(torch.zeros(views, config.points))
        self.project = nn.Sequential(
            Linear(3 * views * config.points, config.hidden),
            nn.LayerNorm(config.hidden),
            nn.GELU(),
            Linear(config.hidden, config.code),
            nn.LayerNorm(config.code),
        )

    def forward(self, images: Tensor) -> Tensor:
        """(B, V, 3, Y, X) in 0..1 -> (B, code)."""
        seen = []
        for number, network in enumerate(self.views):
            maps = network(images[:, number].contiguous(memory_format=torch.channels_last))
            seen.append(points_of(maps, self.sharpness[number].exp()))
        code: Tensor = self.project(torch.cat(seen, dim=-1))
        return code


def points_of(maps: Tensor, sharpness: Tensor) -> Tensor:
    """Mean place (x, y) in -1..1 of each channel's softmax over the image, and its peak. (B, C, Y, X) -> (B, 3 C)."""
    height, width = maps.shape[-2:]
    across = torch.linspace(-1.0, 1.0, width, device=maps.device).repeat(height)
    down = torch.linspace(-1.0, 1.0, height, device=maps.device).repeat_interleave(width)
    pixels = maps.permute(0, 2, 3, 1).flatten(1, 2)  # (B, Y X, C): the order in which channels-last maps lie in memory
    places = torch.stack([across, down]) @ (pixels * sharpness).softmax(1)  # (B, 2, C)
    return torch.cat([places.flatten(1), pixels.max(1).values], dim=-1)


def _maps(config: VisionConfig) -> nn.Sequential:
    factor = 4 // 2 ** (len(config.widths) - 1)  # by which each convolution makes the image smaller
    layers: list[nn.Module] = []
    for before, width in pairwise((3, *config.widths)):
        layers += [nn.Conv2d(before, width, 2 * factor, stride=factor, padding=factor // 2), nn.ReLU(inplace=True)]
    layers.append(nn.Conv2d(config.widths[-1], config.points, kernel_size=3, padding=1))
    # Typed overloads of `to` do not know this keyword.
    return nn.Sequential(*layers).to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]
