"""Digests of a source: what it is known by, and whether it is what its maker says.

Neither HDF5 nor video nor CSV would notice a flipped bit by itself. A list as `sha256sum` writes it does: for a file
`FILE.sha256` beside it, for a folder `SHA256SUMS` inside.
"""

import hashlib
import re
from pathlib import Path, PurePosixPath

from glam.core import files
from glam.core.errors import GlamError
from glam.core.workers import Progress, no_progress

SUMS = "SHA256SUMS"
_HIDDEN = re.compile(r"(^|/)\.(?!z)")
_LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)")


def fingerprint(source: Path, progress: Progress = no_progress) -> str:
    """Digest of all content of a file or folder, which must agree with a list of digests where there is one."""
    listing = source / SUMS if source.is_dir() else source.with_name(source.name + ".sha256")
    paths = {source.name: source} if not source.is_dir() else _paths(source)
    digests = {}
    for done, (name, path) in enumerate(paths.items(), start=1):
        digests[name] = files.sha256(path)
        progress(done, len(paths))
    if listing.is_file():
        _require_equal(listing, digests)
    lines = [f"{digest} {name}" for name, digest in digests.items()] if source.is_dir() else list(digests.values())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _paths(source: Path) -> dict[str, Path]:
    """Files of a folder by their names; hidden files are left out, but for those of zarr."""
    found = (name for name in files.listed(source) if not _HIDDEN.search(name) and name != SUMS)
    return {name: files.contained(source, name) for name in sorted(found, key=PurePosixPath)}


def _require_equal(listing: Path, digests: dict[str, str]) -> None:
    listed = {}
    for line in listing.read_bytes().decode("utf-8", "replace").splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            raise GlamError(f"{listing}: {line[:80]!r} is not a line as sha256sum writes it")
        listed[match[2].removeprefix("./")] = match[1]
    for name in sorted(listed.keys() | digests.keys()):
        if listed.get(name) != digests.get(name):
            problem = "is not listed" if name not in listed else "is missing or not what was listed"
            raise GlamError(f"{listing}: {name} {problem}; get the files again, or delete the list")
