"""A disk that is full, read-only or broken, at a chosen moment of a program that runs in this process.

    with failing_disk(folder, at=7, error=errno.ENOSPC) as disk:
        ...                     # the eighth change below `folder` fails with this error, and all after it
    disk.changes                # how many were tried

Changes are those that Python makes: files opened for writing, written, synced, renamed, linked or removed, and folders.
Libraries in C write past it, but our writers sync and rename in Python what such a library has written.
"""

import builtins
import errno
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

NEVER = sys.maxsize
REMOVALS = {"unlink", "remove", "rmdir"}


@dataclass
class Disk:
    """A folder on a disk that fails from its change number `at` on; `once` for a single failure."""

    root: Path
    at: int = NEVER
    error: int = errno.ENOSPC
    once: bool = False
    changes: int = 0
    """Changes that were tried so far."""
    failures: int = 0

    def change(self, what: str, path: Any) -> None:
        """Count a change, or fail it. A full disk still lets files be removed."""
        if isinstance(path, int) or not Path(os.fsdecode(path)).absolute().is_relative_to(self.root):
            return
        number, self.changes = self.changes, self.changes + 1
        if number < self.at or (self.once and self.failures) or (self.error == errno.ENOSPC and what in REMOVALS):
            return
        self.failures += 1
        raise OSError(self.error, os.strerror(self.error), os.fsdecode(path))


class _File(io.FileIO):
    """An open file of the disk."""

    def __init__(self, disk: Disk, path: Any, mode: str) -> None:
        super().__init__(path, mode)
        self._disk, self._path = disk, path

    def write(self, data: Any) -> int:
        try:
            self._disk.change("write", self._path)
        except OSError as error:
            raise OSError(error.errno, error.strerror) from None  # the kernel names no file here
        return super().write(data)


@contextmanager
def failing_disk(root: Path, at: int = NEVER, error: int = errno.ENOSPC, *, once: bool = False) -> Iterator[Disk]:
    """Let changes below `root` fail; without `at` count them only."""
    disk = Disk(root.resolve(), at, error, once)
    in_os = {name: _watched(disk, name) for name in _BY_PATH} | {"open": _opener(disk), "fsync": _syncer(disk)}
    opened = _file_opener(disk)
    with mock.patch.multiple(os, **in_os), mock.patch.object(io, "open", opened):  # noqa: SIM117  # a list too long
        with mock.patch.object(builtins, "open", opened):
            yield disk


_BY_PATH = ("mkdir", "rename", "replace", "link", "symlink", "truncate", "unlink", "remove", "rmdir")
_TO_THE_SECOND = {"rename", "replace", "link", "symlink"}


def _watched(disk: Disk, name: str) -> Callable[..., Any]:
    plain = getattr(os, name)

    def watched(*paths: Any, **settings: Any) -> Any:
        if settings.get("dir_fd") is None:
            disk.change(name, paths[name in _TO_THE_SECOND])
        return plain(*paths, **settings)

    return watched


def _opener(disk: Disk) -> Callable[..., int]:
    plain = os.open

    def opened(path: Any, flags: int, *rest: Any, **settings: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and settings.get("dir_fd") is None:
            disk.change("open", path)
        return plain(path, flags, *rest, **settings)

    return opened


def _syncer(disk: Disk) -> Callable[[int], None]:
    plain = os.fsync

    def synced(number: int) -> None:
        disk.change("sync", os.readlink(f"/proc/self/fd/{number}"))
        plain(number)

    return synced


def _file_opener(disk: Disk) -> Callable[..., Any]:
    plain = io.open

    def opened(file: Any, mode: str = "r", buffering: int = -1, *rest: Any, **settings: Any) -> Any:
        if not set(mode) & set("wax+") or isinstance(file, int) or settings.get("opener"):
            return plain(file, mode, buffering, *rest, **settings)
        disk.change("open", file)
        if buffering == 0 or "+" in mode:
            return plain(file, mode, buffering, *rest, **settings)
        binary = io.BufferedWriter(_File(disk, file, mode.replace("b", "").replace("t", "")))
        return binary if "b" in mode else io.TextIOWrapper(binary, *rest[:3], **settings)

    return opened
