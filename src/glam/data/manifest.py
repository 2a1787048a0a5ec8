"""`meta/glam.json`: what a dataset is, where it comes from, and the sha256 of every file in it."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glam.core import files
from glam.core.configs import from_json, to_json
from glam.core.errors import GlamError
from glam.data import layout

FORMAT_VERSION = 1
LATENTS = "latents"
"""Entry of the description of a relabelled copy: the source's content id, the world model, and the features added."""
ALIGNED = "aligned"
"""Entry of the description of an aligned copy: the content ids of its source and of the target, and what was found."""
_OWN_DIGEST = "sha256"


@dataclass(frozen=True)
class DatasetDescription:
    """Settings and software of a recording: equal descriptions and seeds give equal datasets."""

    task: str
    """Name of the task, such as `stack-two`."""
    embodiment: str
    seed: int
    config: dict[str, Any]
    """Everything that shapes an episode, as plain JSON; not the number of episodes or workers."""
    versions: dict[str, str]
    """Software that shapes an episode, by name."""


@dataclass(frozen=True)
class Manifest:
    """The content of `meta/glam.json`."""

    role: str
    arms: list[str]
    objects: list[str]
    description: dict[str, Any]
    facts: list[dict[str, Any]]
    """Of each episode, in order: small things its recorder wanted to keep, such as its seed."""
    histograms: dict[str, list[str]]
    """Of the sampled images, one line of 256 counts per channel; with them an extended set has exact statistics."""
    files: dict[str, str]
    """sha256 of every file of the dataset but this one, which carries its own."""
    format: int = FORMAT_VERSION


def write(root: Path, manifest: Manifest) -> None:
    """Write the manifest, sealed with its own digest."""
    content = to_json(manifest)
    files.write_json(files.contained(root, layout.MANIFEST), content | {_OWN_DIGEST: _digest(content)})


def read(root: Path) -> tuple[Manifest, str]:
    """The manifest and its digest, which identifies the whole dataset."""
    path = files.contained(root, layout.MANIFEST)
    content = files.read_json(path)
    if not isinstance(content, dict) or content.get("format") != FORMAT_VERSION:
        raise GlamError(f"{path}: not a manifest of format {FORMAT_VERSION}; read the dataset with a newer glam")
    digest = content.pop(_OWN_DIGEST, "")
    if digest != _digest(content):
        raise GlamError(f"{path}: damaged (its sha256 is not the recorded one); restore it from a copy")
    try:
        found = from_json(Manifest, content)
    except GlamError as error:
        raise GlamError(f"{path}: {error}; restore it from a copy") from None
    for name in found.files:
        files.contained(root, name)  # the digest is no signature: a hostile manifest may name any file
    return found, digest


def damage(root: Path, name: str, expected: str) -> str:
    """Problem with a file of the manifest; empty when its content is the recorded one."""
    path = files.contained(root, name)
    if not path.is_file():
        return "missing"
    if files.sha256(path) != expected:
        return "its sha256 is not the recorded one"
    return ""


def require_intact(root: Path, name: str, expected: str) -> None:
    """Refuse a file that is not what was recorded."""
    problem = damage(root, name, expected)
    if problem:
        raise GlamError(f"{files.contained(root, name)}: damaged ({problem}); restore it from a copy")


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
