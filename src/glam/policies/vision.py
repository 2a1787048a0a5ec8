"""What a policy sees: one small convolutional network per view, trained with the policy, joined into a 64-d code."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class VisionConfig:
    """Size of the eyes."""

    pixels: int = 64
    """Height and width of the pictures; a multiple of 16."""
    widths: tuple[int, int, int, int] = (16, 32, 64, 64)
    hidden: int = 256
    code: int = 64
    """Entries of the visual code, as in the paper."""


class Eyes(nn.Module):
    """Views -> convolutions (one network each) -> Linear-LN-GELU-Linear-LN projector."""

    def __init__(self, views: int, config: VisionConfig) -> None:
        super().__init__()
        self.views = nn.ModuleList(_convolutions(config) for _ in range(views))
        flat = views * config.widths[-1] * (config.pixels // 16) ** 2
        self.project = nn.Sequential(
            nn.Linear(flat, config.hidden),
            nn.LayerNorm(config.hidden),
            nn.GELU(),
            nn.Linear(config.hidden, config.code),
            nn.LayerNorm(config.code),
        )

    def forward(self, pictures: Tensor) -> Tensor:
        """(B, V, 3, Y, X) in 0..1 -> (B, code)."""
        maps = []
        for number, network in enumerate(self.views):
            view = pictures[:, number].contiguous(memory_format=torch.channels_last)
            maps.append(network(view).flatten(1))
        code: Tensor = self.project(torch.cat(maps, dim=-1))
        return code


def _convolutions(config: VisionConfig) -> nn.Sequential:
    layers: list[nn.Module] = []
    for before, after in zip((3, *config.widths[:-1]), config.widths, strict=True):
        layers += [nn.Conv2d(before, after, kernel_size=4, stride=2, padding=1), nn.ReLU()]
    # Typed overloads of `to` do not know this keyword.
    return nn.Sequential(*layers).to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]
