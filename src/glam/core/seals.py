"""Files with a seal: a manifest of their sha256, written last, checked whenever one of them is read.

Runs, checkpoints, evaluations, replays and exports are folders of this kind. A single JSON object may hold its own
checksum instead.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from glam.core import files
from glam.core.errors import GlamError

MANIFEST = "manifest.json"
FORMAT = 1
MOST_BYTES = 64 << 30
"""Of one sealed file."""


def write(folder: Path, contents: Mapping[str, bytes], *, also: Iterable[str] = ()) -> None:
    """Write files durably into `folder`, read them back, and seal them together with existing files, `also`."""
    with writing(folder, sum(map(len, contents.values()))):
        for name, content in contents.items():
            files.write_bytes(files.contained(folder, name), content)
        expected = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
        for name, digest in expected.items():
            if files.sha256(files.contained(folder, name)) != digest:
                raise GlamError(f"{folder}/{name}: its content differs from what was written; check the disk")
        expected |= {name: files.sha256(files.contained(folder, name)) for name in also}
        files.write_json(folder / MANIFEST, {"format": FORMAT, "files": expected, "sha256": _digest(expected)})


def json_bytes(value: Any) -> bytes:
    """JSON with sorted keys, so equal values are equal bytes."""
    return (json.dumps(value, indent=1, sort_keys=True, allow_nan=False) + "\n").encode()


def unseal(folder: Path) -> None:
    """Take the seal away, before its files change."""
    files.contained(folder, MANIFEST).unlink(missing_ok=True)


def is_sealed(folder: Path) -> bool:
    """True if there is a seal; it is not checked."""
    return (folder / MANIFEST).is_file()


def read(folder: Path, name: str) -> bytes:
    """The content of a sealed file; refuses content that has changed since."""
    expected = digests(folder)
    path = files.contained(folder, name)
    if name not in expected:
        raise GlamError(f"{folder / MANIFEST}: does not list {name}; restore the folder from a copy")
    try:
        content = files.read_bytes(path, MOST_BYTES)
    except OSError as error:
        raise GlamError(f"{path}: cannot be read ({error.strerror}); restore it from a copy") from None
    if hashlib.sha256(content).hexdigest() != expected[name]:
        raise GlamError(f"{path}: damaged (its sha256 is not the sealed one); restore it from a copy")
    return content


def read_json(folder: Path, name: str) -> Any:
    """The value of a sealed JSON file."""
    return files.parse_json(read(folder, name), f"{folder}/{name}")


@contextmanager
def writing(path: Path, size: int) -> Iterator[None]:
    """Turn a full disk, a missing permission and similar failures into a one-line error."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise GlamError(f"{path}: cannot be written ({reason}); {size} bytes are needed there") from None


def digests(folder: Path) -> dict[str, str]:
    """sha256 of each sealed file, as it was when it was sealed."""
    path = files.contained(folder, MANIFEST)
    content = files.read_json(path)
    found = content.get("files") if isinstance(content, dict) and content.get("format") == FORMAT else None
    if not isinstance(found, dict) or not all(isinstance(digest, str) for digest in found.values()):
        raise GlamError(f"{path}: not a manifest of format {FORMAT}; read the folder with a newer glam")
    if content.get("sha256") != _digest(found):
        raise GlamError(f"{path}: damaged (its sha256 is not the recorded one); restore it from a copy")
    return found


OWN = "sha256"
"""Entry of an object with the digest of all its other entries."""


def write_object(path: Path, value: Mapping[str, Any]) -> None:
    """Write a JSON object with its own checksum, durably and atomically."""
    files.write_json(path, {**value, OWN: _digest(value)})


def read_object(path: Path) -> dict[str, Any]:
    """The object without its checksum; refuses one that has changed since, or that has no checksum."""
    value = files.read_json(path)
    if not isinstance(value, dict) or value.pop(OWN, "") != _digest(value):
        raise GlamError(f"{path}: damaged (its sha256 is not the recorded one); restore it from a copy, or delete it")
    return value


def _digest(found: Mapping[str, str]) -> str:
    return hashlib.sha256(json_bytes(found)).hexdigest()
