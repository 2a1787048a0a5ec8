"""Upkeep of the cache folder: list what it holds, remove what is old, keep it below a limit.

An entry is a decoded dataset, the features of a frozen encoder or the joint paths of a dataset. A process that uses an
entry holds a shared lock on it until it ends, so that nobody removes what is in use. Removing an entry costs time only:
the next command that needs it makes it again.
"""

import fcntl
import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

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
    """All entries of a cache folder, the one used longest ago first."""
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
