"""EfficientNet-Lite0: Table 1 of https://arxiv.org/abs/1905.11946 without squeeze-and-excite, and with ReLU6.

Statistics of the batch normalizations are fixed numbers here, also while training: a policy's batches are small and of
one scene, and what a step changes must be parameters alone, or a run could not be shared by processes or averaged.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

STEM = 32
HEAD = 1280
MAP_STAGES = 5
"""Stages up to the last map at a sixteenth of the resolution."""
_EPSILON = 1e-3  # of the original's normalizations


class Stage(NamedTuple):
    """One row of the table: `layers` blocks, the first of which may halve the resolution."""

    expansion: int
    kernel: int
    stride: int
    width: int
    layers: int


STAGES = (
    Stage(1, 3, 1, 16, 1),
    Stage(6, 3, 2, 24, 2),
    Stage(6, 5, 2, 40, 2),
    Stage(6, 3, 2, 80, 3),
    Stage(6, 5, 1, 112, 3),
    Stage(6, 5, 2, 192, 4),
    Stage(6, 3, 1, 320, 1),
)


class EfficientNetLite0(nn.Module):
    """The first `stages` of the network; all seven are followed by the head, a 1 x 1 convolution to 1280 channels."""

    def __init__(self, stages: int = len(STAGES)) -> None:
        super().__init__()
        kept = STAGES[:stages]
        self.stem = _Unit(3, STEM, kernel=3, stride=2)
        self.blocks = nn.Sequential(*_blocks(kept))
        is_whole = len(kept) == len(STAGES)
        self.head = _Unit(kept[-1].width, HEAD, kernel=1) if is_whole else nn.Identity()
        self.width = HEAD if is_whole else kept[-1].width
        """Channels of the map."""
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # typed overloads do not know this

    def forward(self, images: Tensor) -> Tensor:
        """Normalized images whose sides the strides divide -> map. (B, 3, Y, X) -> (B, width, y, x)."""
        return self.head(self.blocks(self.stem(images.contiguous(memory_format=torch.channels_last))))


class _Block(nn.Module):
    """Expand by 1 x 1, filter each channel by itself, project by 1 x 1; added to what came in where shapes allow."""

    def __init__(self, before: int, stage: Stage, stride: int) -> None:
        super().__init__()
        inner = before * stage.expansion
        self.expand = _Unit(before, inner, kernel=1) if stage.expansion > 1 else nn.Identity()
        self.filter = _Unit(inner, inner, kernel=stage.kernel, stride=stride, groups=inner)
        self.project = _Unit(inner, stage.width, kernel=1, has_activation=False)
        self.is_residual = stride == 1 and before == stage.width

    def forward(self, features: Tensor) -> Tensor:
        out: Tensor = self.project(self.filter(self.expand(features)))
        return features + out if self.is_residual else out


class _Unit(nn.Module):
    """Convolution, normalization by fixed statistics, and mostly ReLU6."""

    mean: Tensor
    variance: Tensor

    def __init__(
        self, before: int, after: int, *, kernel: int, stride: int = 1, groups: int = 1, has_activation: bool = True
    ) -> None:
        super().__init__()
        # The weights were trained with the padding that halves exactly: with stride 2 one pixel more below and right.
        border = kernel - stride
        self.padding = (border // 2, border - border // 2) * 2 if stride > 1 else ()
        inside = 0 if stride > 1 else kernel // 2
        self.convolution = nn.Conv2d(before, after, kernel, stride, inside, groups=groups, bias=False)
        self.gain, self.bias = nn.Parameter(torch.ones(after)), nn.Parameter(torch.zeros(after))
        self.register_buffer("mean", torch.zeros(after))
        self.register_buffer("variance", torch.ones(after))
        self.has_activation = has_activation

    def forward(self, features: Tensor) -> Tensor:
        # The normalization is folded into the convolution: by itself it would take as long as the convolution.
        scale = self.gain * (self.variance + _EPSILON).rsqrt()
        padded = functional.pad(features, self.padding) if self.padding else features
        out = functional.conv2d(
            padded,
            self.convolution.weight * scale[:, None, None, None],
            self.bias - self.mean * scale,
            self.convolution.stride,
            self.convolution.padding,
            groups=self.convolution.groups,
        )
        return functional.relu6(out, inplace=True) if self.has_activation else out


def _blocks(stages: tuple[Stage, ...]) -> Iterator[_Block]:
    before = STEM
    for stage in stages:
        for layer in range(stage.layers):
            yield _Block(before, stage, stage.stride if layer == 0 else 1)
            before = stage.width


_UNITS = {
    "expand": ("_expand_conv", "_bn0"),
    "filter": ("_depthwise_conv", "_bn1"),
    "project": ("_project_conv", "_bn2"),
}
_ENDS = {"stem": ("_conv_stem", "_bn0"), "head": ("_conv_head", "_bn1")}
_TENSORS = {"gain": "weight", "bias": "bias", "mean": "running_mean", "variance": "running_var"}


def published_name(name: str) -> str:
    """Name in the published file of a tensor of this network."""
    *place, unit, tensor = name.removesuffix(".weight").split(".")
    convolution, normalization = _UNITS[unit] if place else _ENDS[unit]
    prefix = f"_blocks.{place[1]}." if place else ""
    own = f"{convolution}.weight" if tensor == "convolution" else f"{normalization}.{_TENSORS[tensor]}"
    return prefix + own


def from_published(own: Iterable[str], found: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors with these names of ours that the published file has."""
    named = {name: published_name(name) for name in own}
    return {name: found[published] for name, published in named.items() if published in found}
