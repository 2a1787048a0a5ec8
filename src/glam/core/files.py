"""Durable files: what is visible under its final name is complete, also after a crash."""

import fcntl
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from glam.core.errors import GlamError

TEMPORARY_SUFFIX = ".tmp"


def sync_folder(folder: Path) -> None:
    """Make the names inside `folder` durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the folder of `path`; on success it becomes `path`, durably and at once.

    The temporary name ends in `.tmp`, so whatever a crash leaves behind is recognised as rubbish.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY_SUFFIX}")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """Yield a new temporary folder beside `folder`, which is missing or empty; on success it becomes `folder` at once.

    What is written inside must be made durable by whoever writes it.
    """
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}{TEMPORARY_SUFFIX}")
    temporary.mkdir(parents=True)
    try:
        yield temporary
        temporary.rename(folder)
        sync_folder(folder.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def require_new_or_own(folder: Path, own: str, lock: str, maker: str) -> None:
    """Refuse a folder with files of somebody else.

    It may be missing, empty, or hold the file `own`. A lock file and temporary files, as a killed start leaves them, do
    not count. `maker` says in the error which command makes such folders.
    """
    if folder.exists() and not folder.is_dir():
        raise GlamError(f"{folder}: is a file; choose a folder")
    if not folder.exists() or (folder / own).exists():
        return
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path != folder / lock and path.suffix != TEMPORARY_SUFFIX:
            name = path.relative_to(folder).as_posix()
            raise GlamError(f"{folder}: holds {name}, which {maker} did not make; choose a new or empty folder")


def write_bytes(path: Path, content: bytes) -> None:
    """Write `content` durably and atomically."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def write_json(path: Path, value: Any) -> None:
    """Write `value` as JSON with sorted keys, so equal values are equal files."""
    text = json.dumps(value, indent=1, sort_keys=True, allow_nan=False)
    write_bytes(path, (text + "\n").encode())


def read_json(path: Path) -> Any:
    """Read a JSON file; a missing or damaged one is a clear error."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise GlamError(f"{path}: no such file") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise GlamError(f"{path}: not valid JSON ({error}); restore the file from a copy") from None


def sha256(path: Path) -> str:
    """Hex digest of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def exclusive(lock: Path, busy: str) -> Iterator[None]:
    """Hold `lock` for this process alone; the kernel frees it when the process dies, however it dies."""
    with open_lock(lock) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise GlamError(busy) from None
        yield


def open_lock(lock: Path) -> IO[bytes]:
    """Open a lock file, made if it is missing. It is never truncated, and a link in its place is refused."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    except OSError as error:
        if lock.is_symlink():
            raise GlamError(f"{lock}: is a link; a lock must be a plain file, remove the link") from None
        raise error from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise GlamError(f"{lock}: is no plain file, as a lock must be; remove it")
    return os.fdopen(descriptor, "r+b")


class PathOutsideError(GlamError):
    """A name out of a file's content that leads out of its folder."""


def contained(root: Path, name: str) -> Path:
    """The path of `name` below `root`: a name out of a file's content must not lead anywhere else.

    Refused are absolute names, `..`, backslashes, empty parts and links on the way.
    """
    parts = name.split("/")
    if not name or name.startswith("/") or "\\" in name or "\0" in name or {"", ".", ".."} & set(parts):
        raise PathOutsideError(f"{root}: names the file {name!r}, which is not inside this folder")
    path = root
    for part in parts:
        path = path / part
        if path.is_symlink():
            raise PathOutsideError(f"{path}: is a link; the files of a folder must lie in it")
    return path
