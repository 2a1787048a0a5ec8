"""Layers of the paper's table of architectures: the perceptrons, and four convolutions from image to vector and back.

Convolutions have kernel 4, stride 2 and padding 1. They keep weights and images in the channels-last memory format:
with few input channels, such as masks, the default format is many times slower on a CPU. Values do not depend on it.

`Linear` takes its products from oneDNN where that is faster: the only CPU-specific backward pass in GLAM. PyTorch
multiplies matrices with Intel's MKL, which keeps to 256-bit vectors on processors of other makers. oneDNN, which
computes PyTorch's convolutions, does not. On AMD processors with AVX-512 a product takes half to two thirds of the
time. A training step takes 11 % less of a latent policy, 2 % less of the others and of a world model
(docs/results/cpu_paths.json, `python benchmarks/cpu_paths.py`). Everywhere else this is `nn.Linear`.

The environment variable GLAM_ONEDNN_LINEAR is the switch: `on`, `off`, or `auto` (the default: on such processors).
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from glam.core.errors import GlamError

SWITCH = "GLAM_ONEDNN_LINEAR"
_FEWEST_ROWS = 32
"""With fewer, calling oneDNN from Python costs more than it saves."""
_PROCESSORS = Path("/proc/cpuinfo")


class Linear(nn.Linear):
    """(..., inputs) -> (..., outputs)."""

    def forward(self, input: Tensor) -> Tensor:
        """Input times weight, plus bias."""
        if uses_onednn() and _is_plain(input) and input.numel() >= _FEWEST_ROWS * self.in_features:
            return _Product.apply(input, self.weight, self.bias)  # type: ignore[no-untyped-call]
        return functional.linear(input, self.weight, self.bias)


@cache
def uses_onednn() -> bool:
    """State of the switch on this machine."""
    if not hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        return False
    wanted = os.environ.get(SWITCH, "auto")
    return wanted == "on" or (wanted == "auto" and _is_amd_with_avx512())


def _is_amd_with_avx512() -> bool:
    return torch.backends.cpu.get_cpu_capability() == "AVX512" and "AuthenticAMD" in _processors()


@cache
def multiplies_in_bf16() -> bool:
    """True for processors with bf16 instructions, which halve the time of convolutions."""
    return "avx512_bf16" in _processors().split()


def _processors() -> str:
    return _PROCESSORS.read_text() if _PROCESSORS.exists() else ""


def _is_plain(features: Tensor) -> bool:
    """True for single precision on a CPU."""
    return features.is_cpu and features.dtype == torch.float32 and not torch.is_autocast_enabled("cpu")


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, features: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(features, weight)
        return _times(features.reshape(-1, features.shape[-1]), weight, bias).view(*features.shape[:-1], len(weight))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor, Tensor | None]:
        features, weight = ctx.saved_tensors
        inputs, outputs = features.reshape(-1, features.shape[-1]), gradient.reshape(-1, gradient.shape[-1])
        to_features = _times(outputs, weight.t()).view(features.shape) if ctx.needs_input_grad[0] else None
        return to_features, _times(outputs.t(), inputs.t()), outputs.sum(0) if ctx.needs_input_grad[2] else None


def _times(left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """Product of left and right^T, plus bias, without gradients. (m, k), (n, k) -> (m, n)."""
    product = torch.ops.mkldnn._linear_pointwise.default  # noqa: SLF001 - there is no public name for it
    return product(left, right, bias, "none", [], "")


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
        return self.normalize(self.project(maps.flatten(1)))


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
        return self.convolutions(maps)


def _channels_last(module: nn.Sequential) -> nn.Sequential:
    # The type stubs of `to` lack this keyword.
    return module.to(memory_format=torch.channels_last)  # type: ignore[call-overload]


HIDDEN = 256


class ResMLP(nn.Module):
    """`N ResMLP / H`: a linear map into H features, N residual blocks, a linear map out."""

    def __init__(self, inputs: int, outputs: int, *, blocks: int, hidden: int = HIDDEN) -> None:
        super().__init__()
        self.enter = Linear(inputs, hidden)
        self.blocks = nn.Sequential(*(ResidualBlock(hidden) for _ in range(blocks)))
        self.leave = Linear(hidden, outputs)

    def forward(self, features: Tensor) -> Tensor:
        """(..., inputs) -> (..., outputs)."""
        return self.leave(self.blocks(self.enter(features)))


class ResidualBlock(nn.Module):
    """LayerNorm -> Linear -> GELU -> Linear, added to what came in."""

    def __init__(self, size: int) -> None:
        super().__init__()
        # The exact GELU: on a CPU it is faster than its tanh approximation.
        self.branch = nn.Sequential(nn.LayerNorm(size), Linear(size, size), nn.GELU(), Linear(size, size))

    def forward(self, features: Tensor) -> Tensor:
        """(..., size) -> (..., size)."""
        return features + self.branch(features)


class MLP(nn.Sequential):
    """`N MLP / H, ReLU`: N linear layers, the last of which is the output, with a ReLU between each two."""

    def __init__(self, inputs: int, outputs: int, *, layers: int, hidden: int = HIDDEN) -> None:
        super().__init__(*_layers([inputs, *[hidden] * (layers - 1), outputs]))


def _layers(sizes: list[int]) -> Iterator[nn.Module]:
    yield Linear(sizes[0], sizes[1])
    for before, after in pairwise(sizes[1:]):
        yield nn.ReLU()
        yield Linear(before, after)
