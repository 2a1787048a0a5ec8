"""DINOv2-S/14 (https://arxiv.org/abs/2304.07193; 21 million parameters) through transformers: the extra `[encoders]`.

transformers is imported when this encoder is asked for.
"""

import math
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from glam.core.errors import GlamError
from glam.policies.encoders.encoder import EncoderSize
from glam.policies.encoders.pretrained import HUB_FILE, PretrainedConfig, prepared
from glam.training import tensors

PATCH = 14
REPOSITORY = "facebook/dinov2-small"
REVISION = "ed25f3a31f01632728cabb09d1542f84ab7b0056"
_POSITIONS = "embeddings.position_embeddings"
_MASK_TOKEN = "embeddings.mask_token"
_MEAN, _DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Of ImageNet."""


@dataclass(frozen=True)
class DinoV2S14Config(PretrainedConfig):
    """DINOv2-S/14; a view becomes its class token, as in the paper. `side` is a multiple of 14."""

    kind: Literal["dinov2-s14"] = "dinov2-s14"
    side: int = 224
    sha256: str = "ae1e99fcefd534ed978cdeb8326f08030c96e28b7a81ffcbc98a857c84d14be1"
    """Checksum of the weights file; the default is that of model.safetensors of facebook/dinov2-small on the Hub."""
    width: int = 384
    layers: int = 12
    heads: int = 6

    def __post_init__(self) -> None:
        """Refuse images that patches do not fill."""
        self.require_multiple(PATCH)

    @classmethod
    def sized(cls, size: EncoderSize) -> Self:
        """Images of 28, 98 or 224 pixels."""
        if size == "tiny":
            return cls(side=28, pixels=16, hidden=16, code=8)
        return cls(side=98) if size == "small" else cls(side=224, pixels=224)

    @property
    def features(self) -> int:
        """Numbers for each view."""
        return self.width

    def new_backbone(self) -> nn.Module:
        """A backbone with random weights."""
        return DinoViews(self)

    def published(self) -> Path:
        """The published weights, downloaded from the Hub unless they are in its cache."""
        _library()
        import_module("huggingface_hub").logging.set_verbosity_error()  # it logs every attempt; we report the result
        try:
            found = import_module("transformers.utils").cached_file(REPOSITORY, HUB_FILE, revision=REVISION)
        except OSError:
            raise GlamError(
                f"encoder dinov2-s14: {HUB_FILE} of {REPOSITORY} is not in the Hub's cache and cannot be downloaded; "
                "give a file or folder with --encoder-weights"
            ) from None
        return Path(found)

    def fill(self, backbone: nn.Module, content: bytes, path: Path) -> None:
        """Give `backbone` the published weights; transformers translates their names."""
        library = _library()
        import_module("transformers").utils.logging.disable_progress_bar()
        found = tensors.from_bytes(content, path)
        published = {name: tensor for name, tensor in found.items() if name != _MASK_TOKEN}
        if _POSITIONS in published:
            published[_POSITIONS] = _resized(published[_POSITIONS], self.side // PATCH, path)
        try:
            translated, report = library.Dinov2Model.from_pretrained(
                None, config=_config(library, self), state_dict=published, output_loading_info=True
            )
        except RuntimeError as error:
            raise GlamError(f"{path}: not weights of this DINOv2 ({error}); give those of {REPOSITORY}") from None
        for name in sorted(report["missing_keys"] | report["unexpected_keys"]):
            state = "is missing" if name in report["missing_keys"] else "has no place in this model"
            raise GlamError(f"{path}: not weights of this DINOv2: tensor {name!r} {state}; give those of {REPOSITORY}")
        tensors.fill(backbone.get_submodule("network").state_dict(), translated.state_dict(), path)


class DinoViews(nn.Module):
    """Views -> class tokens after the last normalization.

    Position embeddings are made for exactly this image size. So nothing is interpolated in each step, which costs time
    and on a GPU is not repeatable. There is no mask token, which no gradient would reach.
    """

    def __init__(self, config: DinoV2S14Config) -> None:
        super().__init__()
        self.side = config.side
        library = _library()
        self.network: nn.Module = library.Dinov2Model(_config(library, config))

    def forward(self, images: Tensor) -> Tensor:
        """(N, 3, Y, X) in 0..1 -> (N, width)."""
        tokens: Tensor = self.network(pixel_values=prepared(images, self.side, _MEAN, _DEVIATION)).last_hidden_state
        return tokens[:, 0]


def _config(library: Any, config: DinoV2S14Config) -> Any:
    return library.Dinov2Config(
        hidden_size=config.width,
        num_hidden_layers=config.layers,
        num_attention_heads=config.heads,
        image_size=config.side,
        patch_size=PATCH,
        use_mask_token=False,
    )


def _resized(positions: Tensor, grid: int, path: Path) -> Tensor:
    """Position embeddings for a grid of another size, as DINOv2 itself makes them. (1, 1 + old^2, d)."""
    old = math.isqrt(positions.shape[1] - 1) if positions.ndim == 3 else 0
    if positions.shape[1:2] != (1 + old**2,):
        raise GlamError(f"{path}: not weights of a DINOv2: its positions fill no square grid; give another file")
    if old == grid:
        return positions
    token, patches = positions[:, :1], positions[:, 1:].mT.reshape(1, -1, old, old)
    resized = functional.interpolate(patches, size=(grid, grid), mode="bicubic", align_corners=False)
    return torch.cat([token, resized.flatten(2).mT], dim=1)


def _library() -> Any:
    try:
        return import_module("transformers.models.dinov2")
    except ImportError:
        raise GlamError(
            "encoder dinov2-s14: transformers is not installed; pip install 'glam-robot[encoders]'"
        ) from None
