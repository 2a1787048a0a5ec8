"""Upkeep of the cache folder: list what it holds, remove what is old, keep it below a limit, find damaged rows.

An entry is a decoded dataset, the features of a frozen encoder or the joint paths of a dataset. A process that uses an
entry holds a shared lock on it until it ends, so that nobody removes what is in use. Removing an entry costs time only:
the next command that needs it makes it again.

Neither a memory map nor the format of NumPy notices a flipped bit. Each block of rows of a cached array has a CRC-32,
which is compared when a row of the block is read for the first time in a process: a large set is never read as a whole
to begin with.
"""

import fcntl
import os
import re
import shutil
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.files import open_lock

LIMIT = "GLAM_CACHE_LIMIT_GB"
DEFAULT_LIMIT_GB = 20.0
_ENTRY = re.compile(r"[0-9a-f]{32}-.+-v\d+(\.parquet)?")  # content, what was made of it, version of the format
_held: dict[Path, int] = {}
"""Descriptors of this process's locks, by entry; open until it ends."""


@dataclass(frozen=True)
class CacheEntry:
    """One decoded dataset, or what was computed from one."""

    path: Path
    bytes: int
    used: float
    """Time of the last use, in seconds since the epoch."""
    is_in_use: bool

    @property
    def age_days(self) -> float:
        """Days since the last use."""
        return max(0.0, (time.time() - self.used) / 86_400)


def hold(entry: Path) -> None:
    """Mark an entry as used now, and as in use until this process ends."""
    lock = _lock_of(entry)
    if entry not in _held:
        with open_lock(lock) as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            _held[entry] = os.dup(file.fileno())
    os.utime(lock)


def entries(folder: Path) -> list[CacheEntry]:
    """All entries of a cache folder, the least recently used first."""
    found = [_entry(path) for path in _paths(folder)] if folder.is_dir() else []
    return sorted(found, key=lambda entry: (entry.used, entry.path.name))


def removable(found: Sequence[CacheEntry], limit: float, older_than_days: float = float("inf")) -> list[CacheEntry]:
    """Entries to remove: those older than some days, then the oldest until `limit` bytes are left. None is in use."""
    left, chosen = sum(entry.bytes for entry in found), []
    for entry in found:
        if not entry.is_in_use and (left > limit or entry.age_days > older_than_days):
            chosen.append(entry)
            left -= entry.bytes
    return chosen


def remove(entry: CacheEntry) -> bool:
    """Remove an entry unless somebody has begun to use it; returns True if it is gone."""
    lock = _lock_of(entry.path)
    with open_lock(lock) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        if entry.path.is_dir():
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            entry.path.unlink(missing_ok=True)
        lock.unlink(missing_ok=True)
    return not entry.path.exists()


def keep_below_limit(folder: Path) -> list[CacheEntry]:
    """Remove the oldest entries until the folder is below its limit; returns what was removed."""
    return [entry for entry in removable(entries(folder), limit_bytes()) if remove(entry)]


def limit_bytes() -> float:
    """Most bytes that the cache may hold: `$GLAM_CACHE_LIMIT_GB`, by default 20 GB."""
    text = os.environ.get(LIMIT, "")
    try:
        limit = float(text) if text else DEFAULT_LIMIT_GB
    except ValueError:
        limit = -1.0
    if not limit > 0:
        raise GlamError(f"{LIMIT}={text}: must be a positive number of gigabytes, such as 20")
    return limit * 1e9


def _paths(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if _ENTRY.fullmatch(path.name) and not path.is_symlink():
            yield path


def _entry(path: Path) -> CacheEntry:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    lock = _lock_of(path)
    used = (lock if lock.exists() else path).stat().st_mtime
    return CacheEntry(path, sum(file.stat().st_size for file in files), used, _is_in_use(lock))


def _is_in_use(lock: Path) -> bool:
    if not lock.exists():
        return False
    with open_lock(lock) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _lock_of(entry: Path) -> Path:
    return entry.with_name(f".{entry.name}.used")


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


def mapped(path: Path) -> NDArray[Any]:
    """A cached array, read as a memory map; a header that is none is a ValueError."""
    try:
        return np.asarray(np.load(path, mmap_mode="r"))  # plain indexing is quicker than that of np.memmap
    except OSError:
        raise
    except Exception as error:  # NumPy parses the header as Python, which fails in many ways
        raise ValueError(f"{path}: not an array") from error


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
        return self._array[rows]

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
