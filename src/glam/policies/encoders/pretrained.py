"""Encoders with a pretrained backbone, which is fine-tuned with the policy or frozen.

The weights file is found, compared with the sha256 that the config names, and only then read. A frozen backbone is not
trained: its features are computed once for each dataset, and it is stored with the policy, so that a policy's folder
needs nothing else.
"""

import hashlib
from abc import abstractmethod
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from glam.core.configs import digest, to_json
from glam.core.errors import GlamError
from glam.policies.encoders.encoder import EncoderConfig, EncoderTraining, Projector

HUB_FILE = "model.safetensors"
"""Name of the weights in a folder of the Hugging Face Hub."""
Colours = tuple[float, float, float]


@dataclass(frozen=True)
class PretrainedConfig(EncoderConfig):
    """Settings of encoders with a pretrained backbone."""

    pixels: int = 96
    training: EncoderTraining = "joint"
    """joint: the backbone is fine-tuned with the policy; frozen: only the projector is trained."""
    side: int = 96
    """Height and width to which the backbone resizes its images."""
    sha256: str = ""
    """Checksum of the weights file."""

    @property
    @abstractmethod
    def features(self) -> int:
        """Numbers that the backbone makes of one view."""

    @abstractmethod
    def new_backbone(self) -> nn.Module:
        """A backbone with random weights. (N, 3, Y, X) in 0..1 -> (N, features)."""

    @abstractmethod
    def published(self) -> Path:
        """The published weights file."""

    @abstractmethod
    def fill(self, backbone: nn.Module, content: bytes, path: Path) -> None:
        """Give `backbone` the weights in `content`, which was read from `path`."""

    def build(self, views: int) -> nn.Module:
        """The projector, and the backbone before it unless it is frozen."""
        if self.is_frozen:
            return nn.Sequential(nn.Flatten(), *Projector(views * self.features, self))
        return JointEncoder(views, self)

    @property
    def is_frozen(self) -> bool:
        """True where the backbone is not trained."""
        return self.training == "frozen"

    def with_weights(self, training: EncoderTraining, sha256: str) -> Self:
        """The same encoder, fine-tuned or frozen; `sha256` names other weights than the published ones."""
        return replace(self, training=training, sha256=sha256 or self.sha256)

    def load_backbone(self, given: Path | None) -> nn.Module:
        """The backbone with its pretrained weights."""
        backbone = self.new_backbone()
        path = _file(given) if given else self.published()
        self.fill(backbone, _checked(path, self.sha256), path)
        return PerView(backbone).eval()

    def initialize(self, encoder: nn.Module, backbone: nn.Module) -> None:
        """Start fine-tuning from the loaded backbone."""
        if not self.is_frozen:
            encoder.get_submodule("per_view").load_state_dict(backbone.state_dict())

    def frozen_backbone(self) -> nn.Module:
        """A new backbone if it is frozen."""
        return PerView(self.new_backbone()) if self.is_frozen else nn.Identity()

    def feature_identity(self) -> tuple[str, int]:
        """A hash of all that shapes the features."""
        settings = {name: value for name, value in to_json(self).items() if name not in _AFTER_THE_BACKBONE}
        return digest(settings), self.features

    def require_multiple(self, unit: int) -> None:
        """Refuse images that the backbone cannot divide."""
        if self.side < unit or self.side % unit:
            raise GlamError(f"encoder {self.kind}: side is {self.side} pixels; it must be a multiple of {unit}")


_AFTER_THE_BACKBONE = frozenset({"pixels", "hidden", "code", "training"})
"""Settings that do not change the features of an image of given size."""


class PerView(nn.Module):
    """One backbone for every view by itself."""

    def __init__(self, backbone: nn.Module) -> None:
        super().__init__()
        self.backbone = backbone

    def forward(self, images: Tensor) -> Tensor:
        """(B, V, 3, Y, X) in 0..1 -> (B, V, features)."""
        features: Tensor = self.backbone(images.flatten(0, 1))
        return features.reshape(*images.shape[:2], -1)


class JointEncoder(nn.Module):
    """A backbone that is fine-tuned with the policy, and the projector."""

    def __init__(self, views: int, config: PretrainedConfig) -> None:
        super().__init__()
        self.per_view = PerView(config.new_backbone())
        self.project = Projector(views * config.features, config)

    def forward(self, images: Tensor) -> Tensor:
        """(B, V, 3, Y, X) in 0..1 -> (B, code)."""
        return self.project(self.per_view(images).flatten(1))


def prepared(images: Tensor, side: int, mean: Colours, deviation: Colours) -> Tensor:
    """Images resized, and normalized with the colour statistics that the weights were trained with."""
    if images.shape[-2:] != (side, side):
        images = functional.interpolate(images, size=(side, side), mode="bilinear", antialias=True)
    shift, scale = (torch.tensor(part, device=images.device).view(3, 1, 1) for part in (mean, deviation))
    return (images - shift) / scale


def _file(given: Path) -> Path:
    path = given / HUB_FILE if given.is_dir() else given
    if not path.is_file():
        raise GlamError(f"--encoder-weights {path}: no such file; give a weights file, or a folder with {HUB_FILE}")
    return path


def _checked(path: Path, expected: str) -> bytes:
    """The content of a file if its checksum is right; what is used is exactly what was compared."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise GlamError(f"{path}: cannot be read ({error.strerror}); restore it from a copy") from None
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise GlamError(
            f"{path}: its sha256 is {found}, not {expected}; for weights of your own, give --encoder-sha256 {found}"
        )
    return content
