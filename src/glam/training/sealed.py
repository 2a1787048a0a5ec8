"""Files with a seal: a manifest of their sha256, written last, checked whenever one of them is read.

A safe format prevents the execution of code, but not damage: most random changes of a safetensors file go unnoticed
without a checksum. Tensors must also be finite when written, and finite and of the expected shape when read.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor

from glam.core import files
from glam.core.errors import GlamError

TENSOR_SUFFIX = ".safetensors"
_MOST_BYTES = 64 << 30
"""Of one file of weights."""


def tensor_bytes(tensors: Mapping[str, Tensor], path: Path) -> bytes:
    """The content of a safetensors file for `path`; a tensor that is not finite is refused."""
    _require_finite(tensors, path, "nothing was written")
    # A copy each, since the format wants plain memory: neither channels-last nor shared.
    return safetensors.torch.save({name: _plain(tensor) for name, tensor in tensors.items()})


def tensors_from_bytes(content: bytes, path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file read from `path`."""
    try:
        tensors = safetensors.torch.load(content)
    except (SafetensorError, ValueError, KeyError, OverflowError) as error:
        raise GlamError(f"{path}: not a safetensors file ({error}); no other format is read") from None
    _require_finite(tensors, path, "restore it from a copy")
    return tensors


@torch.no_grad()
def fill_tensors(targets: Mapping[str, Tensor], found: Mapping[str, Tensor], path: Path) -> None:
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


MANIFEST = "manifest.json"
FORMAT = 1


def write(folder: Path, contents: Mapping[str, bytes], *, also: Iterable[str] = ()) -> None:
    """Write files durably into `folder`, read them back, and seal them together with existing files, `also`."""
    with writing(folder, sum(map(len, contents.values()))):
        for name, content in contents.items():
            files.write_bytes(files.contained(folder, name), content)
        expected = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
        for name, digest in expected.items():
            if files.sha256(files.contained(folder, name)) != digest:
                raise GlamError(f"{folder}/{name}: its content differs from what was written; check the disk")
        expected |= {name: files.sha256(files.contained(folder, name)) for name in also}
        files.write_json(folder / MANIFEST, {"format": FORMAT, "files": expected, "sha256": _digest(expected)})


def json_bytes(value: Any) -> bytes:
    """JSON with sorted keys, so equal values are equal bytes."""
    return (json.dumps(value, indent=1, sort_keys=True, allow_nan=False) + "\n").encode()


def is_sealed(folder: Path) -> bool:
    """True if there is a seal; it is not checked."""
    return (folder / MANIFEST).is_file()


def read(folder: Path, name: str) -> bytes:
    """The content of a sealed file; refuses content that has changed since."""
    expected = digests(folder)
    path = files.contained(folder, name)
    if name not in expected:
        raise GlamError(f"{folder / MANIFEST}: does not list {name}; restore the folder from a copy")
    try:
        content = files.read_bytes(path, _MOST_BYTES)
    except OSError as error:
        raise GlamError(f"{path}: cannot be read ({error.strerror}); restore it from a copy") from None
    if hashlib.sha256(content).hexdigest() != expected[name]:
        raise GlamError(f"{path}: damaged (its sha256 is not the sealed one); restore it from a copy")
    return content


def read_json(folder: Path, name: str) -> Any:
    """The value of a sealed JSON file."""
    return files.parse_json(read(folder, name), f"{folder}/{name}")


@contextmanager
def writing(path: Path, size: int) -> Iterator[None]:
    """Turn a full disk, a missing permission and similar failures into a one-line error."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise GlamError(f"{path}: cannot be written ({reason}); {size} bytes are needed there") from None


def digests(folder: Path) -> dict[str, str]:
    """sha256 of each sealed file, as it was when it was sealed."""
    path = files.contained(folder, MANIFEST)
    content = files.read_json(path)
    is_ours = isinstance(content, dict) and content.get("format") == FORMAT and isinstance(content.get("files"), dict)
    if not is_ours:
        raise GlamError(f"{path}: not a manifest of format {FORMAT}; read the folder with a newer glam")
    found: dict[str, str] = content["files"]
    if content.get("sha256") != _digest(found):
        raise GlamError(f"{path}: damaged (its sha256 is not the recorded one); restore it from a copy")
    return found


def _digest(found: Mapping[str, str]) -> str:
    return hashlib.sha256(json_bytes(found)).hexdigest()
