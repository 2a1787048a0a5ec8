"""Batches: tensors inside dataclasses, mappings and tuples, whatever their nesting."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor

from glam.core.errors import GlamError

BatchT = TypeVar("BatchT")


def on_device(batch: BatchT, device: torch.device) -> BatchT:
    """The batch with every tensor on `device`."""
    moved: BatchT = _mapped(batch, lambda _, tensor: tensor.to(device, non_blocking=True), "batch")
    return moved


def concatenated(parts: Sequence[BatchT]) -> BatchT:
    """One batch from several of the same type, one after the other."""

    def join(*values: Any) -> Any:
        if isinstance(values[0], Tensor):
            return torch.cat(values)
        return dataclasses.replace(
            values[0], **{name: join(*(vars(v)[name] for v in values)) for name in vars(values[0])}
        )

    whole: BatchT = join(*parts)
    return whole


def share_of(batch: BatchT, share: int, shares: int) -> BatchT:
    """One of equal shares of the samples of every tensor; views, not copies."""
    if shares == 1:
        return batch

    def cut(name: str, tensor: Tensor) -> Tensor:
        size, rest = divmod(len(tensor), shares)
        if rest:
            raise GlamError(f"{name} has {len(tensor)} samples, which {shares} processes cannot share equally")
        return tensor[share * size : (share + 1) * size]

    own: BatchT = _mapped(batch, cut, "batch")
    return own


def non_finite_tensors(batch: Any) -> list[str]:
    """Names of the tensors of a batch that hold a NaN or an infinity, such as `batch.target.action`."""
    return [
        name for name, tensor in _tensors(batch, "batch") if tensor.is_floating_point() and not tensor.isfinite().all()
    ]


def _mapped(value: Any, change: Callable[[str, Tensor], Tensor], name: str) -> Any:
    if isinstance(value, Tensor):
        return change(name, value)
    parts = {key: _mapped(part, change, f"{name}.{key}") for key, part in _parts(value).items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(value, **parts)
    if isinstance(value, Mapping):
        return parts
    if isinstance(value, tuple | list):
        is_named = hasattr(value, "_fields")
        return type(value)(*parts.values()) if is_named else type(value)(parts.values())
    return value


def _tensors(value: Any, name: str) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, Tensor):
        yield name, value
    for key, part in _parts(value).items():
        yield from _tensors(part, f"{name}.{key}")


def _parts(value: Any) -> dict[Any, Any]:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | list):
        return dict(zip(getattr(value, "_fields", range(len(value))), value, strict=True))
    return {}
