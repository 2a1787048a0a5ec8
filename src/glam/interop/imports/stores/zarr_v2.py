"""Zarr format 2 in the layout of a replay buffer: `data/<key>` with all episodes in a row, and `meta/episode_ends`.

The format is read by hand. The zarr library was tried in the reader process (zarr 3.1.6, numcodecs 0.16.6) and falls
short in what matters for files from elsewhere:

- A chunk that is missing reads as the fill value, and no option makes it an error: lost data become zeros.
- A codec does not know the size of its chunk: a zlib chunk file of 1 MB took 2 GB of memory for a chunk of 16 bytes.
  `codecs` stops at the size that the array declares.
- Stores in folders follow links, so a store could bring the user's other files into a dataset.

A store class of our own and our own codecs would mend this, but then the library only computes which chunks a slice
touches (`_overlap`, 10 lines), for an adapter of twelve methods, an event loop, five threads and 0.7 s to start.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.interop.imports.stores import codecs
from glam.interop.imports.stores.archive import open_archive
from glam.interop.imports.stores.store import ArraySpec, array_spec

_ARRAY = "/.zarray"
_DTYPE = re.compile(r"[<>|][biuf][1248]")
_NOTES = (".zattrs", ".zgroup", ".zmetadata")
_MOST_JSON = 1 << 20
_MOST_CHUNK = 1 << 28
"""Bytes."""


@dataclass(frozen=True)
class _Array:
    """Content of `.zarray`."""

    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    dtype: np.dtype[Any]
    codec: str
    order: Any
    separator: str

    @property
    def grid(self) -> tuple[int, ...]:
        """Chunks along each axis."""
        return tuple(-(-side // chunk) for side, chunk in zip(self.shape, self.chunks, strict=True))


class ZarrStore:
    """An open store; its arrays are called `data/robot0_eef_pos` and `meta/episode_ends`."""

    def __init__(self, path: Path) -> None:
        self._archive = open_archive(path)
        if "zarr.json" in self._archive.names:
            raise GlamError("zarr format 3; only format 2 is read, as UMI and diffusion policy write it")
        names = sorted(name.removesuffix(_ARRAY) for name in self._archive.names if name.endswith(_ARRAY))
        self._require_described(frozenset(names))
        self._arrays = {name: self._array(name) for name in names}
        self.arrays: dict[str, ArraySpec] = {}
        self.notes: dict[str, Any] = {}
        for name, array in self._arrays.items():
            self.arrays[name] = array_spec(name, array.shape, array.dtype)

    def read(self, name: str, start: int, stop: int) -> NDArray[Any]:
        """Part of an array, from as many chunks as it touches."""
        array = self._arrays[name]
        values = np.empty((stop - start, *array.shape[1:]), array.dtype)
        rows = range(start // array.chunks[0], -(-stop // array.chunks[0]))
        for index in product(rows, *(range(count) for count in array.grid[1:])):
            inside, outside = _overlap(array, index, start, stop)
            values[outside] = self._chunk(name, array, index)[inside]
        return values

    def _require_described(self, arrays: frozenset[str]) -> None:
        """Every file belongs to an array: one whose description is lost would go unnoticed."""
        for name in self._archive.names:
            folder = name.rpartition("/")[0]
            parents = {name[:end] for end in range(len(name)) if name[end] == "/"}
            if name.rpartition("/")[2] not in _NOTES and not parents & arrays:
                raise GlamError(f"{name} belongs to no array; {folder}{_ARRAY} is missing")

    def _array(self, name: str) -> _Array:
        text = self._archive.read(name + _ARRAY, _MOST_JSON)
        with _naming(name + _ARRAY):
            content = json.loads(text)
            if content["zarr_format"] != 2 or content.get("filters"):
                raise GlamError("has filters, or another format than 2")
            shape, chunks = (tuple(int(side) for side in content[key]) for key in ("shape", "chunks"))
            if not _DTYPE.fullmatch(content["dtype"]):
                raise GlamError(f"has type {content['dtype']!r}, which is no type of numbers")
            array = _Array(
                *(shape, chunks, np.dtype(content["dtype"])),
                codec=(content["compressor"] or {"id": ""})["id"],
                order=content["order"],
                separator=content.get("dimension_separator", "."),
            )
            _require_sound(array)
            return array

    def _chunk(self, name: str, array: _Array, index: tuple[int, ...]) -> NDArray[Any]:
        file = f"{name}/{array.separator.join(map(str, index))}"
        if file not in self._archive.names:
            raise GlamError(f"{file} is missing; a store without its empty chunks must be written again with them")
        # Incompressible content grows a little.
        content = self._archive.read(file, 2 * prod(array.chunks) * array.dtype.itemsize + 4096)
        with _naming(file):
            return codecs.decode(array.codec, content, array.chunks, array.dtype).reshape(
                array.chunks, order=array.order
            )


def _require_sound(array: _Array) -> None:
    if not array.shape or len(array.shape) != len(array.chunks) or min(array.chunks) < 1 or min(array.shape) < 0:
        raise GlamError(f"has shape {array.shape} in chunks of {array.chunks}")
    if prod(array.chunks) * array.dtype.itemsize > _MOST_CHUNK:
        raise GlamError(f"has chunks of {array.chunks}, which is more than {_MOST_CHUNK >> 20} MB each")
    if array.order not in ("C", "F") or array.separator not in (".", "/"):
        raise GlamError(f"has order {array.order!r} and separator {array.separator!r}")


def _overlap(array: _Array, index: tuple[int, ...], start: int, stop: int) -> tuple[Any, Any]:
    """Overlap of a chunk with rows start .. stop - 1: slices inside the chunk, and inside these rows."""
    bounds = [(start, stop), *((0, side) for side in array.shape[1:])]
    inside, outside = [], []
    for (first, last), number, size in zip(bounds, index, array.chunks, strict=True):
        low, high = max(first, number * size), min(last, (number + 1) * size)
        inside.append(slice(low - number * size, high - number * size))
        outside.append(slice(low - first, high - first))
    return tuple(inside), tuple(outside)


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Name this part of the store in every error raised inside."""
    try:
        yield
    except GlamError as error:
        raise GlamError(f"{name} {error}") from None
    except MemoryError:
        raise
    except Exception as error:
        raise GlamError(f"{name} is damaged ({type(error).__name__}: {error})") from None
