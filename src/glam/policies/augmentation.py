"""Random augmentation of images in training: color jitter and shifts."""

from typing import NamedTuple

import torch
from torch import Tensor

from glam.nn.noise import Noise


def color_jitter(images: Tensor, jitter: float, noise: Noise) -> Tensor:
    """Brightness and each colour times up to 1 +- `jitter`, differently in each view. (B, V, 3, Y, X)."""
    samples, views = images.shape[:2]
    gain = 1.0 + jitter * (2.0 * noise.uniform(samples, views, 3, 1, 1) - 1.0)
    brightness = 1.0 + jitter * (2.0 * noise.uniform(samples, views, 1, 1, 1) - 1.0)
    return (images * (gain * brightness)).clamp_(0.0, 1.0)  # images are large: two passes over them are enough


class Shifted(NamedTuple):
    """Shifted images."""

    images: Tensor
    """(B, V, 3, Y, X)."""
    moves: Tensor
    """Shift of each view in units of half the image's side: x and y. (B, V, 2)."""


def random_shift(images: Tensor, most: int, noise: Noise) -> Shifted:
    """Each view shifted by up to `most` whole pixels in each direction, padded by repeating the edge."""
    samples, views, colours, height, width = images.shape
    moves = noise.integers(2 * most + 1, samples, views, 2) - most  # (B, V, 2)
    across, down = moves.flatten(0, 1).unbind(-1)
    columns = (torch.arange(width, device=moves.device) - across[:, None]).clamp(0, width - 1)  # each one's origin
    lines = (torch.arange(height, device=moves.device) - down[:, None]).clamp(0, height - 1)
    first = torch.arange(samples * views, device=moves.device)[:, None, None] * height * width
    origins = first + lines[:, :, None] * width + columns[:, None, :]  # (B V, Y, X)
    pixels = images.movedim(2, -1).reshape(-1, colours)  # as they lie in memory
    moved = pixels.index_select(0, origins.flatten()).view(samples, views, height, width, colours).movedim(-1, 2)
    sides = torch.tensor([width - 1, height - 1], device=moves.device)
    return Shifted(moved, 2.0 * moves / sides)
