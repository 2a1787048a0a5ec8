"""Interface of an open file: named arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError

NUMBERS = frozenset(
    ("bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "float16", "float32", "float64")
)
"""Types whose bytes may cross to the other process."""


@dataclass(frozen=True)
class ArraySpec:
    """Shape and type of an array."""

    shape: tuple[int, ...]
    dtype: str
    """One of `NUMBERS`."""

    @property
    def row_bytes(self) -> int:
        """Size of one entry of the first axis."""
        size = np.dtype(self.dtype).itemsize
        for side in self.shape[1:]:
            size *= side
        return size


class Store(Protocol):
    """An open file. Its errors do not name the file: the client adds the name."""

    @property
    def arrays(self) -> Mapping[str, ArraySpec]:
        """All that can be read."""

    @property
    def notes(self) -> Mapping[str, Any]:
        """Further facts in the file, as plain JSON."""

    def read(self, name: str, start: int, stop: int) -> NDArray[Any]:
        """Entries start .. stop - 1 of the first axis of an array."""


def array_spec(name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> ArraySpec:
    """The kind of an array of numbers with at least one axis; anything else is refused."""
    if dtype.name not in NUMBERS or not shape or min(shape) < 0:
        raise GlamError(f"{name} is {dtype} of shape {shape}, not a list of numbers")
    return ArraySpec(tuple(int(side) for side in shape), dtype.name)


def lacking(library: str, what: str) -> GlamError:
    """The sentence for a library that is not installed."""
    return GlamError(f"reading {what} needs {library}; install it with pip install 'glam-robot[import]'")
