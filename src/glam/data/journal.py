"""Acknowledged episodes on their way into a dataset: one record each, written after everything it lists."""

import fcntl
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from glam.core import files
from glam.core.configs import differences, from_json, to_json
from glam.core.errors import GlamError
from glam.data import layout, manifest
from glam.data.manifest import DatasetDescription
from glam.data.schema import Schema

_RECORD = re.compile(r"episode-(\d{6,})\.json")
_CHUNK = re.compile(r"chunk-(\d{3,})")
_FILE = re.compile(r"file-(\d{3})\.(?:mp4|parquet)")
_JOURNAL_FILE = re.compile(r"episode-(\d{6,})\.(?:json|parquet)")


@dataclass(frozen=True)
class JournalRecord:
    """One acknowledged episode."""

    length: int
    task: str
    files: dict[str, str]
    """sha256 of the waiting rows and of each video."""
    histograms: dict[str, list[str]]
    facts: dict[str, Any]


def write(root: Path, index: int, record: JournalRecord) -> None:
    """Acknowledge an episode."""
    files.write_json(files.contained(root, layout.journal_record(index)), to_json(record))


def read(root: Path, index: int) -> JournalRecord:
    """The record of an acknowledged episode that is not yet published."""
    path = files.contained(root, layout.journal_record(index))
    content = files.read_json(path)
    try:
        return from_json(JournalRecord, content)
    except GlamError:
        raise GlamError(f"{path}: damaged; delete it and record the episode again with the same command") from None


def acknowledged(root: Path) -> frozenset[int]:
    """The episodes that are safe: published, or recorded completely and waiting to be."""
    waiting = (_RECORD.fullmatch(path.name) for path in (root / layout.JOURNAL).glob("episode-*.json"))
    return frozenset(int(match[1]) for match in waiting if match) | frozenset(range(published(root)))


def is_acknowledged(root: Path, index: int) -> bool:
    """True for an episode that is safe; takes as long in a large recording as in a small one."""
    return files.contained(root, layout.journal_record(index)).exists() or index < published(root)


def published(root: Path) -> int:
    """Number of episodes in the manifest."""
    try:
        found = files.contained(root, layout.MANIFEST).stat()
    except FileNotFoundError:
        return 0
    return _listed(root, (found.st_ino, found.st_mtime_ns, found.st_size))


@lru_cache(maxsize=4)
def _listed(root: Path, state: tuple[int, ...]) -> int:
    """Number of episodes in a manifest, which is read again only when it has another `state`."""
    del state
    return len(manifest.read(root)[0].facts)


@contextmanager
def saving(root: Path) -> Iterator[None]:
    """Shared lock for saving an episode."""
    with _held(root, fcntl.LOCK_SH):
        yield


@contextmanager
def quiet(root: Path) -> Iterator[None]:
    """Held to clear or publish: waits until nobody saves, such as a worker that outlived its killed parent."""
    with _held(root, fcntl.LOCK_EX):
        yield


def begin(root: Path, schema: Schema, description: DatasetDescription) -> None:
    """Note what is being recorded, or insist that it is what was begun here."""
    path, wanted = files.contained(root, layout.RECORDING), _begun(schema, description)
    if not path.exists():
        files.write_json(path, wanted)
        return
    for name, old, new in differences(files.read_json(path), wanted):
        raise GlamError(
            f"{root}: recorded with {name} = {json.dumps(old)}, now {json.dumps(new)}; "
            "resume with the same settings, or use another folder"
        )


def require_begun(root: Path) -> None:
    """Refuse a folder in which no recording was begun."""
    if not (root / layout.RECORDING).exists():
        raise GlamError(f"{root}: no recording was begun here; open one with `recording` first")


def sweep(root: Path, schema: Schema) -> None:
    """Remove what a crash left behind: temporary files, and files of episodes that were never acknowledged.

    Only the folders of this recording are looked at: another dataset may lie below them.
    """
    safe = acknowledged(root)
    for folder in _folders(root, schema):
        files.sweep(folder)
        for path in list(folder.iterdir()):
            index = _episode(path)
            if index is not None and index not in safe and path.is_file():
                files.contained(root, path.relative_to(root).as_posix()).unlink()


def clear(root: Path) -> None:
    """Remove the journal, once everything in it is published; whatever else lies in its folder stays."""
    folder = files.contained(root, layout.JOURNAL)
    if folder.exists():
        for path in sorted(folder.iterdir()):
            if _JOURNAL_FILE.fullmatch(path.name):
                path.unlink()
        if not any(folder.iterdir()):
            folder.rmdir()
        files.sync_folder(folder.parent)


def _folders(root: Path, schema: Schema) -> Iterator[Path]:
    """Folders into which a recording writes, as far as they are there."""
    parents = ["data", *(f"videos/{key}" for key in schema.image_keys)]
    chunked = [files.contained(root, name) for name in (*parents, layout.EPISODES_FOLDER)]
    chunks = [path for parent in chunked if parent.is_dir() for path in parent.iterdir() if _CHUNK.fullmatch(path.name)]
    for path in (*(files.contained(root, name) for name in ("meta", layout.JOURNAL)), *chunks):
        if path.is_dir() and not path.is_symlink():
            yield path


@contextmanager
def _held(root: Path, mode: int) -> Iterator[None]:
    require_begun(root)
    with files.open_lock(files.contained(root, layout.RECORDING)) as file:
        fcntl.flock(file, mode)
        yield


def _episode(path: Path) -> int | None:
    """Number of the episode to which a file belongs; None for files of the whole set."""
    if match := _JOURNAL_FILE.fullmatch(path.name):
        return int(match[1])
    chunk, file = _CHUNK.fullmatch(path.parent.name), _FILE.fullmatch(path.name)
    is_table = path.parent.parent.name == "episodes"
    return int(chunk[1]) * layout.FILES_PER_CHUNK + int(file[1]) if chunk and file and not is_table else None


def _begun(schema: Schema, description: DatasetDescription) -> Any:
    """Features rather than the schema's fields: these name what an auxiliary set must not even mention."""
    described = {
        "arms": schema.arms,
        "cameras": schema.cameras,
        "features": schema.features(),
        "fps": schema.fps,
        "objects": schema.objects,
    }
    return to_json({"description": description, "schema": described})
