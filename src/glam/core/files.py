"""Durable files, and careful reading of those that others made.

What is visible under its final name is complete, also after a crash. Names out of a file's content lead nowhere but
into its folder, no link is followed inside one, and sizes are looked at before memory is taken.
"""

import fcntl
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import IO, Any

from glam.core.errors import GlamError

TEMPORARY_SUFFIX = ".glam.tmp"
"""End of a temporary name, by which we know our own: nothing else is ever swept away."""
MOST_BYTES = 256 << 20
"""Bytes of a file of JSON or text; the manifest of 100,000 episodes has fewer."""
MOST_VALUES = 4_000_000
"""Values in a file of JSON; more take seconds and gigabytes."""
_PROBE_BYTES = 4096


def sync_folder(folder: Path) -> None:
    """Make the names inside `folder` durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary file in the folder of `path`; on success it becomes `path`, durably and at once.

    It is made anew, so that nothing which lies under its name is followed or overwritten. A lock on it tells others
    that its writer lives.
    """
    temporary = _temporary(path)
    with _failures_named(temporary, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.unlink(missing_ok=True)
            temporary.touch(0o666, exist_ok=False)
            with temporary.open("rb") as held:
                with suppress(OSError):  # a disk that knows no locks
                    fcntl.flock(held, fcntl.LOCK_SH)
                yield temporary
                with temporary.open("rb+") as file:
                    os.fsync(file.fileno())
                temporary.replace(path)
            sync_folder(path.parent)
        finally:
            with suppress(OSError):  # a disk that has become read-only keeps it
                temporary.unlink(missing_ok=True)


@contextmanager
def _failures_named(temporary: Path, final: Path) -> Iterator[None]:
    """Let failures of the disk name the final path: the kernel names no file, or one that is gone by then."""
    try:
        yield
    except OSError as error:
        if error.errno and error.filename in {None, str(temporary)}:
            error.filename = str(final)
        raise


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """Yield a new temporary folder beside `folder`, which is missing or empty; on success it becomes `folder` at once.

    What is written inside must be made durable by whoever writes it. What killed processes left of it is removed.
    """
    temporary = _temporary(folder)
    with _failures_named(temporary, folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        sweep(folder.parent, f".{folder.name}.")
        temporary.mkdir()
        held = os.open(temporary, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield temporary
            temporary.rename(folder)
            sync_folder(folder.parent)
        finally:
            os.close(held)
            shutil.rmtree(temporary, ignore_errors=True)


def is_temporary(path: Path) -> bool:
    """True for the name of a temporary file or folder of ours."""
    return path.name.startswith(".") and path.name.endswith(TEMPORARY_SUFFIX)


def sweep(folder: Path, start: str = ".") -> None:
    """Remove what killed writers left in `folder` itself: our own temporary files and folders, nothing else.

    A living writer holds a lock on its own. `start` is how their names begin.
    """
    for path in folder.iterdir() if folder.is_dir() and not folder.is_symlink() else ():
        if is_temporary(path) and path.name.startswith(start):
            _remove_left(path)


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder; what a link leads to stays."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY_SUFFIX}")


def _remove_left(path: Path) -> None:
    """Remove a temporary file or folder unless somebody holds it."""
    if path.is_symlink():
        path.unlink(missing_ok=True)
        return
    with suppress(OSError):  # gone by now, in use, or on a disk that knows no locks
        held = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove(path)
        finally:
            os.close(held)


def require_new_or_own(folder: Path, own: str, lock: str, maker: str) -> None:
    """Refuse a folder with files of somebody else.

    It may be missing, empty, or hold the file `own`. A lock file and temporary files, as a killed start leaves them, do
    not count. `maker` says in the error which command makes such folders.
    """
    if folder.exists() and not folder.is_dir():
        raise GlamError(f"{folder}: is a file; choose a folder")
    if not folder.exists() or contained(folder, own).exists():
        return
    for path in sorted(folder.rglob("*")):
        is_folder = path.is_dir() and not path.is_symlink()
        if not is_folder and path != folder / lock and not is_temporary(path):
            name = path.relative_to(folder).as_posix()
            raise GlamError(f"{folder}: holds {name}, which {maker} did not make; choose a new or empty folder")


def require_writable(path: Path) -> None:
    """Refuse a file or folder that could not be made in the end, as on a read-only or full disk; leaves nothing there.

    For commands that work for long before they write. What killed writers left of the path is removed.
    """
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    probe = _temporary(folder / path.name)
    try:
        try:
            probe.write_bytes(bytes(_PROBE_BYTES))
        finally:
            probe.unlink(missing_ok=True)
        sweep(path.absolute().parent, f".{path.name}.")
    except OSError as error:
        raise GlamError(f"{path}: cannot be written ({error.strerror}); choose another place") from None


def write_bytes(path: Path, content: bytes) -> None:
    """Write `content` durably and atomically."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def write_json(path: Path, value: Any) -> None:
    """Write `value` as JSON with sorted keys, so equal values are equal files."""
    text = json.dumps(value, indent=1, sort_keys=True, allow_nan=False)
    write_bytes(path, (text + "\n").encode())


def open_plain(path: Path) -> BufferedReader:
    """Open a file for reading; a pipe or a device, which may never end, is refused."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise GlamError(f"{path}: is no plain file; put one in its place")
    return os.fdopen(descriptor, "rb")


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content of a plain file of at most `most` bytes."""
    with open_plain(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise GlamError(f"{path}: has {size} bytes, more than the {most} that such a file may have")
        return file.read(size)


def read_json(path: Path) -> Any:
    """Read a JSON file; a missing, damaged or absurd one is a clear error."""
    try:
        return parse_json(read_bytes(path), str(path))
    except FileNotFoundError:
        raise GlamError(f"{path}: no such file") from None


def parse_json(content: bytes, where: str) -> Any:
    """The value of some JSON; `where` is what an error calls it."""
    if sum(map(content.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise GlamError(f"{where}: holds more than {MOST_VALUES} values, which no file of its kind does")
    try:
        return json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # too deep, or a number of thousands of digits
        reason = str(error).split(";")[0]
        raise GlamError(f"{where}: not valid JSON ({reason}); restore the file from a copy") from None


def sha256(path: Path) -> str:
    """Hex digest of a plain file's content."""
    with open_plain(path) as file:
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

    Refused are absolute names, `..`, backslashes, empty parts, characters that cannot be shown, and links on the way.
    Every name that is not a constant of ours goes through here; tools/check_paths.py lists the exceptions.
    """
    parts = name.split("/")
    if "\\" in name or not name.isprintable() or {"", ".", ".."} & set(parts):
        raise PathOutsideError(f"{root}: names the file {name!r}, which is not inside this folder")
    path = root
    for part in parts:
        path = path / part
        if path.is_symlink():
            raise PathOutsideError(f"{path}: is a link; {_NO_LINKS}")
    return path


_NO_LINKS = "the files of a folder must lie in it: copy the folder with cp -rL if you trust where its links lead"


def listed(root: Path, folders: Iterable[str] = ("",)) -> Iterator[str]:
    """Names below `root` of all files in some of its folders; links, pipes and devices are refused by name."""
    for folder in folders:
        for place, inside, found in os.walk(contained(root, folder) if folder else root):
            for name in sorted(inside + found):
                path = Path(place) / name
                mode = path.lstat().st_mode
                if stat.S_ISLNK(mode):
                    raise PathOutsideError(f"{path}: is a link; {_NO_LINKS}")
                if stat.S_ISREG(mode):
                    yield path.relative_to(root).as_posix()
                elif not stat.S_ISDIR(mode):
                    raise GlamError(f"{path}: is no plain file; remove it")
