"""Rows of a large array on disk, compared with checksums when they are read.

Neither a memory map nor the format of NumPy notices a flipped bit. Each block of rows has a CRC-32, which is compared
when a row of the block is read for the first time in a process: a large set is never read as a whole to begin with.
"""

import zlib
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

BLOCK_BYTES = 1 << 18
"""Bytes of a block, unless a single row has more: little to read for one row, and few checksums for a large array."""


def block_rows(array: NDArray[Any]) -> int:
    """Rows of a block."""
    return max(1, BLOCK_BYTES // max(1, array[:1].nbytes))


def checksums(array: NDArray[Any]) -> list[int]:
    """The CRC-32 of each block of an array."""
    step = block_rows(array)
    return [_checksum(array[first : first + step]) for first in range(0, len(array), step)]


def is_intact(array: NDArray[Any], sums: list[int]) -> bool:
    """True if a whole array is what the checksums were made of."""
    return checksums(array) == sums


class CheckedRows:
    """A read-only array that is indexed by rows, each block of which is checked once."""

    def __init__(self, array: NDArray[Any], sums: list[int], on_damage: Callable[[int], NoReturn]) -> None:
        """Take an array and its checksums; `on_damage` is called with the first row of a damaged block."""
        if len(sums) != -(-len(array) // block_rows(array)):
            on_damage(0)
        self._array, self._sums, self._on_damage = array, sums, on_damage
        self._block = block_rows(array)
        self._unchecked = np.ones(len(sums), np.bool_)
        self.shape, self.dtype = array.shape, array.dtype

    def __len__(self) -> int:
        """Number of rows."""
        return len(self._array)

    def __getitem__(self, rows: Any) -> NDArray[Any]:
        """The rows of a number, a slice, or an array of numbers of any shape."""
        if self._unchecked.any():
            self._check(rows)
        found: NDArray[Any] = self._array[rows]
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: FBT001  NumPy's own
        """The whole array."""
        return np.array(self[:], dtype=dtype, copy=copy)

    def _check(self, rows: Any) -> None:
        is_plain = isinstance(rows, np.ndarray) and rows.dtype.kind in "iu"
        numbers = rows % len(self) if is_plain else np.arange(len(self))[rows]
        for block in np.unique(numbers // self._block):
            if self._unchecked[block]:
                first = int(block) * self._block
                if _checksum(self._array[first : first + self._block]) != self._sums[block]:
                    self._on_damage(first)
                self._unchecked[block] = False


def _checksum(block: NDArray[Any]) -> int:
    return zlib.crc32(np.ascontiguousarray(block).data)
