"""Integrity of the files: missing, changed or left-over ones."""

from pathlib import Path

from glam.core.errors import GlamError
from glam.core.files import TEMPORARY_SUFFIX, PathOutsideError, sha256
from glam.data import manifest
from glam.data.check.finding import Checking, Finding
from glam.data.layout import INFO, JOURNAL, LOCK, MANIFEST, RECORDING
from glam.data.manifest import Manifest

_FOLDERS = ("meta", "data", "videos", "images")  # other files, such as a README, are not checked
NO_MANIFEST = Manifest(role="", arms=[], objects=[], description={}, facts=[], histograms={}, files={})
"""Of a set that was written by other software, or whose manifest cannot be trusted."""


def check_finished(root: Path) -> Checking[bool]:
    """Check that recording has finished; returns whether `info.json` exists or should exist."""
    waiting = sorted((root / JOURNAL).glob("*.json"))
    if waiting:
        yield Finding("unfinished", JOURNAL, f"{len(waiting)} recorded episodes are not part of the set yet")
    elif (root / RECORDING).is_file() and not (root / INFO).is_file():
        yield Finding("unfinished", RECORDING, "a recording was begun here and never finished")
    return (root / INFO).is_file() or not (root / RECORDING).is_file()


def check_manifest(root: Path) -> Checking[Manifest]:
    """Read `meta/glam.json`; a set of other software has none, and that is well."""
    if not (root / MANIFEST).is_file():
        return NO_MANIFEST
    try:
        return manifest.read(root)[0]
    except PathOutsideError as error:
        yield Finding("path-outside", MANIFEST, str(error).removeprefix(f"{root}: "))
        return NO_MANIFEST
    except GlamError as error:
        problem = str(error).removeprefix(f"{root / MANIFEST}: ").split(";")[0]
        yield Finding("manifest", MANIFEST, f"{problem}, so no checksum can be compared")
        return NO_MANIFEST


def check_content(root: Path, recorded: Manifest, reported: frozenset[str]) -> Checking[None]:
    """Compare every file with its checksum. That one of `reported` is missing, another check says."""
    for file, digest in sorted(recorded.files.items()):
        if not (root / file).is_file():
            if file not in reported:
                yield Finding("file-missing", file, "no such file, but the manifest lists it")
        elif sha256(root / file) != digest:
            yield Finding("checksum", file, "the sha256 of its content is not the recorded one")


def check_surplus(root: Path, recorded: Manifest, used: frozenset[str]) -> Checking[None]:
    """Files that nothing refers to; `used` are those of the episodes."""
    known = {MANIFEST, LOCK, *recorded.files, *used}
    for file in _files(root):
        if file.endswith(TEMPORARY_SUFFIX) or file.startswith("images/"):
            yield Finding("leftover", file, "a temporary file")
        elif file in known or (root / JOURNAL).is_dir():
            continue  # while episodes wait in the journal, their videos lie in place already
        elif recorded.files or (used and file.startswith(("data/", "videos/"))):
            yield Finding("file-unknown", file, "no episode and no list of files mentions it")


def _files(root: Path) -> list[str]:
    found = (path for folder in _FOLDERS for path in (root / folder).rglob("*") if not path.is_dir())
    return sorted(path.relative_to(root).as_posix() for path in found)
