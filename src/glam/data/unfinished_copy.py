"""A copy of a dataset with one more feature: made episode by episode, and published when all of them are there.

The source is never touched. What is done is put aside, so that the same command resumes an interrupted run.
"""

from abc import ABC
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from glam.core import files
from glam.core.errors import GlamError
from glam.data import layout
from glam.data.reader import Dataset
from glam.data.schema import Schema


@dataclass(frozen=True)
class UnfinishedCopy(ABC):
    """A copy in the making, or finished."""

    words: ClassVar[str]
    """What is made, such as `masks`; the command is `glam data` with this word."""

    source: Dataset
    root: Path
    schema: Schema
    """The source's with the new feature."""
    notes: dict[str, Any]
    """Everything that shapes the feature, as plain JSON."""

    @classmethod
    def notes_file(cls) -> str:
        """Settings; a later run compares them with its own."""
        return f"meta/{cls.words}.json"

    @classmethod
    def folder_aside(cls) -> str:
        """Folder of what is done, until the set is published."""
        return f"meta/{cls.words}"

    @contextmanager
    def making(self) -> Iterator[None]:
        """Be the only one who makes this copy, new or begun earlier with the same notes."""
        files.require_new_or_own(self.root, self.notes_file(), layout.LOCK, f"glam data {self.words}")
        busy = f"{self.root}: {self.words} are being made here already; wait for that to end, or choose another folder"
        with files.exclusive(files.contained(self.root, layout.LOCK), busy):
            self._begin()
            yield

    @property
    def is_published(self) -> bool:
        """True when nothing is left to do."""
        return (self.root / layout.INFO).exists()

    def missing(self) -> list[int]:
        """Episodes that are still to be done."""
        if self.is_published:
            return []
        return [record.index for record in self.source.episodes if not self._aside(record.index).is_file()]

    def _aside(self, index: int) -> Path:
        return files.contained(self.root, f"{self.folder_aside()}/episode-{index:06d}.parquet")

    def _begin(self) -> None:
        """Sweep what a crash left behind; note what is being made, or insist that it is what was begun here."""
        for folder in ("meta", self.folder_aside()):
            files.sweep(files.contained(self.root, folder))
        path = files.contained(self.root, self.notes_file())
        if not path.exists():
            files.write_json(path, self.notes)
            return
        old = files.read_json(path)
        if not isinstance(old, dict):
            raise GlamError(f"{path}: damaged; choose another folder")
        for name in sorted(old.keys() | self.notes.keys()):
            if old.get(name) != self.notes.get(name):
                remedy = "resume with the same one, or choose another folder"
                raise GlamError(f"{self.root}: {self.words} were begun here with another {name}; {remedy}")


def require_apart(source: Path, root: Path) -> None:
    """Refuse a copy that would lie inside its source, or hold it."""
    here, there = root.resolve(), source.resolve()
    if here.is_relative_to(there) or there.is_relative_to(here):
        raise GlamError(f"--out {root}: lies inside {source}, or holds it; choose a folder elsewhere")
