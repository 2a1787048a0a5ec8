"""DINOv2 (https://arxiv.org/abs/2304.07193) through transformers: the extra `[encoders]`, imported when asked for."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from glam.core.errors import GlamError
from glam.training import tensors

PATCH = 14
REPOSITORY = "facebook/dinov2-small"
REVISION = "ed25f3a31f01632728cabb09d1542f84ab7b0056"
FILE = "model.safetensors"
_POSITIONS = "embeddings.position_embeddings"
_MASK_TOKEN = "embeddings.mask_token"


@dataclass(frozen=True)
class Architecture:
    """A vision transformer."""

    side: int
    """Height and width of its images."""
    width: int
    layers: int
    heads: int


def new_model(architecture: Architecture) -> nn.Module:
    """The model of transformers, with random weights and position embeddings for exactly these images.

    So nothing is interpolated in each step, which costs time and on a GPU is not repeatable; and there is no mask
    token, which no gradient would ever reach.
    """
    library = _library()
    model: nn.Module = library.Dinov2Model(_config(library, architecture))
    return model


def cls_tokens(model: nn.Module, images: Tensor) -> Tensor:
    """Class tokens after the last normalization. Normalized (N, 3, Y, X) -> (N, width)."""
    tokens: Tensor = model(pixel_values=images).last_hidden_state[:, 0]
    return tokens


def fill(model: nn.Module, architecture: Architecture, found: Mapping[str, Tensor], path: Path) -> None:
    """Give `model` the published weights found at `path`; transformers translates their names."""
    library = _library()
    import_module("transformers").utils.logging.disable_progress_bar()
    grid = architecture.side // PATCH
    published = {name: tensor for name, tensor in found.items() if name != _MASK_TOKEN}
    if _POSITIONS in published:
        published[_POSITIONS] = _resized(published[_POSITIONS], grid, path)
    try:
        translated, report = library.Dinov2Model.from_pretrained(
            None, config=_config(library, architecture), state_dict=published, output_loading_info=True
        )
    except RuntimeError as error:
        raise GlamError(f"{path}: not weights of this DINOv2 ({error}); give those of {REPOSITORY}") from None
    for name in sorted(report["missing_keys"] | report["unexpected_keys"]):
        state = "is missing" if name in report["missing_keys"] else "has no place in this model"
        raise GlamError(f"{path}: not weights of this DINOv2: tensor {name!r} {state}; give those of {REPOSITORY}")
    tensors.fill(model.state_dict(), translated.state_dict(), path)


def hub_file() -> Path:
    """The published weights, downloaded from the Hub unless they lie in its cache."""
    _library()
    import_module("huggingface_hub").logging.set_verbosity_error()  # it tells of every attempt; we tell how it ended
    try:
        found = import_module("transformers.utils").cached_file(REPOSITORY, FILE, revision=REVISION)
    except OSError:
        raise GlamError(
            f"eyes dinov2-s14: {FILE} of {REPOSITORY} is not in the Hub's cache and cannot be downloaded; "
            "give a file or folder with --encoder-weights"
        ) from None
    return Path(found)


def _config(library: Any, architecture: Architecture) -> Any:
    return library.Dinov2Config(
        hidden_size=architecture.width,
        num_hidden_layers=architecture.layers,
        num_attention_heads=architecture.heads,
        image_size=architecture.side,
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
        raise GlamError("eyes dinov2-s14: transformers is not installed; pip install 'glam-robot[encoders]'") from None
