"""A JSON file with what was found, and of what: so that a figure in a document can be traced."""

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from glam.core.files import read_json, sha256, write_json


def write_record(out: Path, policy: Path, found: dict[str, Any]) -> None:
    """Write what was found of an ACT policy."""
    world_model = read_json(policy / "world_model.json")["digest"]
    facts = {
        "policy": {"sha256": sha256(policy / "model.safetensors"), "world_model": world_model},
        "machine": {"cores": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version()},
        "versions": {name: version(name) for name in ("glam-robot", "lerobot", "numpy", "torch")},
    }
    write_json(out, found | facts)
