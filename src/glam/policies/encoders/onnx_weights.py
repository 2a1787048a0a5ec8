"""Weights in an ONNX file, read without the package onnx: a file is protobuf, and few of its fields matter here.

Field numbers are those of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path

import torch
from torch import Tensor

from glam.core.errors import GlamError

_MODEL_GRAPH = 7
_GRAPH_NODE, _GRAPH_INITIALIZER = 1, 5
_NODE_INPUT, _NODE_NAME = 1, 3
_TENSOR_DIMS, _TENSOR_TYPE, _TENSOR_NAME, _TENSOR_RAW = 1, 2, 8, 9
_FLOAT = 1
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MOST_ENTRIES = 100_000
"""Nodes and weights together; the graph of a large transformer has a tenth of that."""

Fields = Iterator[tuple[int, "int | memoryview"]]


@dataclass(frozen=True)
class OnnxWeights:
    """Weights of a graph, and where they are used."""

    tensors: dict[str, Tensor]
    """Weights of type float32 by name."""
    used_by: dict[str, str]
    """Name of the last node that takes each weight: exporters rename what they transpose, such as `onnx::MatMul_7`."""


def read(content: bytes, path: Path) -> OnnxWeights:
    """The weights in the `content` of an ONNX file that was read from `path`."""
    try:
        (graph,) = (part for field, part in _fields(memoryview(content)) if field == _MODEL_GRAPH)
        return _weights(_message(graph))
    except (IndexError, UnicodeDecodeError, ValueError) as error:
        raise GlamError(f"{path}: not a sound ONNX file ({error}); give another") from None


def _weights(graph: memoryview) -> OnnxWeights:
    tensors: dict[str, Tensor] = {}
    used_by: dict[str, str] = {}
    for count, (field, part) in enumerate(_fields(graph)):
        if count > _MOST_ENTRIES:
            raise ValueError(f"more than {_MOST_ENTRIES} entries")
        if field == _GRAPH_INITIALIZER:
            tensors |= _initializer(_message(part))
        elif field == _GRAPH_NODE:
            found = list(_fields(_message(part)))
            name = next((_text(value) for inner, value in found if inner == _NODE_NAME), "")
            used_by |= {_text(value): name for inner, value in found if inner == _NODE_INPUT}
    return OnnxWeights(tensors, {name: node for name, node in used_by.items() if name in tensors})


def _initializer(message: memoryview) -> dict[str, Tensor]:
    """A weight by its name; nothing if it is not stored as raw float32."""
    shape: list[int] = []
    kind, name, raw = 0, "", memoryview(b"")
    for field, value in _fields(message):
        if field == _TENSOR_DIMS:
            shape += [value] if isinstance(value, int) else _varints(value)
        elif field == _TENSOR_TYPE and isinstance(value, int):
            kind = value
        elif field == _TENSOR_NAME:
            name = _text(value)
        elif field == _TENSOR_RAW:
            raw = _message(value)
    if kind != _FLOAT or not raw:
        return {}
    if len(raw) != 4 * prod(shape):
        raise ValueError(f"{name} has {len(raw)} bytes, but the shape {shape}")
    return {name: torch.frombuffer(bytearray(raw), dtype=torch.float32).reshape(shape)}


def _fields(message: memoryview) -> Fields:
    """Number and value of each field of a message."""
    place = 0
    while place < len(message):
        tag, place = _varint(message, place)
        field, kind = divmod(tag, 8)
        if kind == _VARINT:
            value, place = _varint(message, place)
            yield field, value
            continue
        if kind == _BYTES:
            size, place = _varint(message, place)
        elif kind in {_FIXED64, _FIXED32}:
            size = 8 if kind == _FIXED64 else 4
        else:
            raise ValueError(f"field {field} has the unknown type {kind}")
        if place + size > len(message):
            raise ValueError(f"it ends within field {field}")
        yield field, message[place : place + size]
        place += size


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    """A number of variable length at `place`, and where it ends."""
    value = 0
    for shift in range(0, 64, 7):
        byte = message[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
    raise ValueError("a number is longer than 64 bits")


def _varints(message: memoryview) -> list[int]:
    place, found = 0, []
    while place < len(message):
        value, place = _varint(message, place)
        found.append(value)
    return found


def _message(value: "int | memoryview") -> memoryview:
    if isinstance(value, int):
        raise ValueError("a number stands where a message is expected")
    return value


def _text(value: "int | memoryview") -> str:
    return bytes(_message(value)).decode("utf-8")
