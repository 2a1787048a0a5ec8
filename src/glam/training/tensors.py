"""Tensors as the content of safetensors files: finite when written, finite and of the expected shape when read.

A safe format prevents the execution of code, but not damage: `glam.core.seals` vouches for the content.
"""

from collections.abc import Mapping
from pathlib import Path

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor

from glam.core.errors import GlamError

SUFFIX = ".safetensors"


def to_bytes(tensors: Mapping[str, Tensor], path: Path) -> bytes:
    """The content of a safetensors file for `path`; a tensor that is not finite is refused."""
    _require_finite(tensors, path, "nothing was written")
    # A copy each, since the format wants plain memory: neither channels-last nor shared.
    return safetensors.torch.save({name: _plain(tensor) for name, tensor in tensors.items()})


def from_bytes(content: bytes, path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file read from `path`."""
    try:
        tensors = safetensors.torch.load(content)
    except (SafetensorError, ValueError, KeyError, OverflowError) as error:
        raise GlamError(f"{path}: not a safetensors file ({error}); no other format is read") from None
    _require_finite(tensors, path, "restore it from a copy")
    return tensors


@torch.no_grad()
def fill(targets: Mapping[str, Tensor], found: Mapping[str, Tensor], path: Path) -> None:
    """Copy the tensors found at `path` into those of the same names; names, shapes and types must agree exactly."""
    for name in sorted(targets.keys() ^ found.keys()):
        state = "is missing" if name in targets else "has no place in this model"
        raise GlamError(f"{path}: made for another architecture: tensor {name!r} {state}")
    for name, target in targets.items():
        there, wanted = _form(found[name]), _form(target)
        if there != wanted:
            raise GlamError(f"{path}: made for another architecture: tensor {name!r} is {there}, not {wanted}")
    for name, target in targets.items():
        target.copy_(found[name])


def _plain(tensor: Tensor) -> Tensor:
    return tensor.detach().cpu().clone(memory_format=torch.contiguous_format)


def _form(tensor: Tensor) -> str:
    sizes = " x ".join(map(str, tensor.shape)) or "scalar"
    return f"{sizes} {str(tensor.dtype).removeprefix('torch.')}"


def _require_finite(tensors: Mapping[str, Tensor], path: Path, remedy: str) -> None:
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not torch.isfinite(tensor).all():
            raise GlamError(f"{path}: tensor {name!r} holds a NaN or an infinity; {remedy}")
