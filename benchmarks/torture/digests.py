"""Digests of what a command has made, and of what a reader gives: equal for equal results."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from glam.core import seals

VOLATILE = {
    "seconds", "elapsed_seconds", "load_average", "training_seconds", "eval_s", "eval_ep_s", "milliseconds",
    "call_milliseconds", "policy_call_ms", "command", "machine", seals.OWN,
}  # fmt: skip
"""Names of values that tell how long something took, and where; and of checksums that cover these."""
LEFT_OUT = {"checkpoints", "cache", "logs", "pending"}


def digest(root: Path) -> str:
    """Digest of all that a command has made, but for times, checkpoints and pages."""
    found = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.is_file() and not LEFT_OUT & set(parts) and path.name not in {".lock", seals.MANIFEST}:
            found.update(f"{'/'.join(parts)}\n".encode())
            found.update(_content(path))
    return found.hexdigest()


def _content(path: Path) -> bytes:
    if path.suffix == ".json":
        return json.dumps(_lasting(json.loads(path.read_bytes())), sort_keys=True).encode()
    if path.suffix == ".jsonl":
        return json.dumps([_lasting(json.loads(line)) for line in path.read_bytes().splitlines()]).encode()
    return b"" if path.suffix == ".html" else path.read_bytes()


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _lasting(item) for name, item in value.items() if name not in VOLATILE}
    return [_lasting(item) for item in value] if isinstance(value, list) else value


def fingerprint(value: object) -> str:
    """Digest of nested values, arrays and tensors included."""
    found = hashlib.sha256()

    def add(item: Any) -> None:
        if isinstance(item, dict):
            for key in sorted(item, key=str):
                found.update(f"{key}:".encode())
                add(item[key])
        elif isinstance(item, list | tuple):
            for part in item:
                add(part)
        elif hasattr(item, "numpy") or isinstance(item, np.ndarray):
            array = np.asarray(item)
            found.update(f"{array.dtype}{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
        else:
            found.update(repr(item).encode())

    add(value)
    return found.hexdigest()
