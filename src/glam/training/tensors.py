"""Tensors as the content of safetensors files: finite when written, finite and of the expected shape when read.

A safe format prevents the execution of code, but not damage: `glam.core.seals` vouches for the content.
"""

import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor, nn
from torch.nn.modules.module import register_module_parameter_registration_hook

from glam.core.errors import GlamError

SUFFIX = ".safetensors"
MOST_HEADER = 8 << 20
"""Bytes of the names and shapes in a file; those of 50,000 tensors have as many."""
_SLACK = 4
"""How many times more numbers and tensors than are found a module may take while it is built."""
Module = TypeVar("Module", bound=nn.Module)


def to_bytes(tensors: Mapping[str, Tensor], path: Path) -> bytes:
    """The content of a safetensors file for `path`; a tensor that is not finite is refused."""
    _require_finite(tensors, path, "nothing was written")
    # A copy each, since the format wants plain memory: neither channels-last nor shared.
    return safetensors.torch.save({name: _plain(tensor) for name, tensor in tensors.items()})


def from_bytes(content: bytes, path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file read from `path`."""
    if len(content) >= 8 and struct.unpack("<Q", content[:8])[0] > MOST_HEADER:
        raise GlamError(f"{path}: not a safetensors file (its header has more than {MOST_HEADER} bytes)")
    try:
        tensors = safetensors.torch.load(content)
    except (SafetensorError, ValueError, KeyError, OverflowError) as error:
        raise GlamError(f"{path}: not a safetensors file ({error}); no other format is read") from None
    _require_finite(tensors, path, "restore it from a copy")
    return tensors


def built(make: Callable[[], Module], found: Mapping[str, Tensor], path: Path) -> Module:
    """The module that `make` makes, with the tensors found at `path`.

    It is built without memory first: a config from elsewhere may ask for a network that no memory holds. It is refused
    as soon as it has more than was found.
    """
    with torch.device("meta"), _no_more_than(found, path):
        outline = _outlined(make, path)
    _require_same_form(outline.state_dict(), found, path)
    module = make()
    fill(module.state_dict(), found, path)
    return module


def _outlined(make: Callable[[], Module], path: Path) -> Module:
    try:
        return make()
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:  # of sizes that make no sense
        reason = " ".join(str(error).split())[:200]
        raise GlamError(f"{path}: made for another architecture: the config describes none ({reason})") from None


@contextmanager
def _no_more_than(found: Mapping[str, Tensor], path: Path) -> Iterator[None]:
    most = [_SLACK * (1000 + total) for total in (len(found), sum(tensor.numel() for tensor in found.values()))]
    left = list(most)

    def count(module: nn.Module, name: str, parameter: nn.Parameter | None) -> None:
        del module, name
        left[0] -= 1
        left[1] -= parameter.numel() if parameter is not None else 0
        if min(left) < 0:
            raise GlamError(f"{path}: made for another architecture: the config describes a much larger one")

    hook = register_module_parameter_registration_hook(count)
    try:
        yield
    finally:
        hook.remove()


@torch.no_grad()
def fill(targets: Mapping[str, Tensor], found: Mapping[str, Tensor], path: Path) -> None:
    """Copy the tensors found at `path` into those of the same names; names, shapes and types must agree exactly."""
    _require_same_form(targets, found, path)
    for name, target in targets.items():
        target.copy_(found[name])


def _require_same_form(targets: Mapping[str, Tensor], found: Mapping[str, Tensor], path: Path) -> None:
    for name in sorted(targets.keys() ^ found.keys()):
        state = "is missing" if name in targets else "has no place in this model"
        raise GlamError(f"{path}: made for another architecture: tensor {name!r} {state}")
    for name, target in targets.items():
        there, wanted = _form(found[name]), _form(target)
        if there != wanted:
            raise GlamError(f"{path}: made for another architecture: tensor {name!r} is {there}, not {wanted}")


def _plain(tensor: Tensor) -> Tensor:
    return tensor.detach().cpu().clone(memory_format=torch.contiguous_format)


def _form(tensor: Tensor) -> str:
    sizes = " x ".join(map(str, tensor.shape)) or "scalar"
    return f"{sizes} {str(tensor.dtype).removeprefix('torch.')}"


def _require_finite(tensors: Mapping[str, Tensor], path: Path, remedy: str) -> None:
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not torch.isfinite(tensor).all():
            raise GlamError(f"{path}: tensor {name!r} holds a NaN or an infinity; {remedy}")
