"""The small files of a zarr store: members of a zip archive, or files below a folder."""

import zipfile
from pathlib import Path
from typing import Protocol

from glam.core.errors import GlamError
from glam.core.files import contained, open_plain


class Archive(Protocol):
    """Small files by name, with forward slashes."""

    names: frozenset[str]

    def read(self, name: str, most: int) -> bytes:
        """Content of a file that must not be longer than `most`."""


class Zip:
    """A zip archive. Whatever a member claims, no more than was asked for is unpacked; its checksum is verified."""

    def __init__(self, path: Path) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, ValueError) as error:
            raise GlamError(f"not a sound zip archive ({error})") from None
        self.names = frozenset(name for name in self._zip.namelist() if not name.endswith("/"))

    def read(self, name: str, most: int) -> bytes:
        """Content of a member."""
        if name not in self.names:
            raise GlamError(f"has no {name}")
        try:
            with self._zip.open(name) as member:
                content = member.read(most + 1)  # to the end, where the checksum is compared
        # A wrong checksum, a compression that Python does not know, a password.
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            raise GlamError(f"{name} is damaged ({error})") from None
        return _bounded(name, content, most)


class Folder:
    """A folder. Links inside are not followed."""

    def __init__(self, path: Path) -> None:
        self._root = path.resolve()
        # A link may lead to anything else of the user's.
        files = (file for file in self._root.rglob("*") if file.is_file() and not file.is_symlink())
        self.names = frozenset(file.relative_to(self._root).as_posix() for file in files)

    def read(self, name: str, most: int) -> bytes:
        """Content of a file."""
        if name not in self.names:
            raise GlamError(f"has no {name}")
        with open_plain(contained(self._root, name)) as file:
            return _bounded(name, file.read(most + 1), most)


def open_archive(path: Path) -> Archive:
    """The archive at a path."""
    return Folder(path) if path.is_dir() else Zip(path)


def _bounded(name: str, content: bytes, most: int) -> bytes:
    if len(content) > most:
        raise GlamError(f"{name} is longer than {most} bytes, more than what it should hold")
    return content
