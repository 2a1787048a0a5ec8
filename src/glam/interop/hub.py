"""Datasets on the Hugging Face Hub: downloaded at a fixed revision, resumably, through huggingface_hub if installed."""

import importlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glam.core import files
from glam.core.errors import GlamError
from glam.data import layout

HUB = "hub"
"""Entry of a dataset's config that holds where on the Hub it comes from."""
_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_REVISION = re.compile(r"[0-9a-f]{40}")
_COMPLETE = ".glam-complete"
"""File in a downloaded folder that holds everything; hidden, so that it is no part of the dataset."""


@dataclass(frozen=True)
class HubOrigin:
    """Origin of a dataset."""

    repo: str
    """Such as `lerobot/pusht`."""
    revision: str
    """Commit, 40 hexadecimal digits."""


def is_hub_id(text: str) -> bool:
    """True for `user/name`."""
    return bool(_ID.fullmatch(text)) and ".." not in text


def pinned(out: Path, repo: str) -> str:
    """The commit from which an interrupted adoption in `out` was begun; empty where there is none."""
    path = out / layout.RECORDING
    if not path.is_file():
        return ""
    origin = files.read_json(path)
    for name in ("description", "config", HUB):
        origin = origin.get(name) if isinstance(origin, dict) else None
    return str(origin.get("revision", "")) if isinstance(origin, dict) and origin.get("repo") == repo else ""


def download(repo: str, revision: str, folder: Path) -> tuple[Path, HubOrigin]:
    """Download a dataset into a folder of its own below `folder`, or resume; a complete one needs no network.

    `revision` is a branch, a tag or a commit; empty: the main branch as it is now.
    """
    if not _REVISION.fullmatch(revision) or not _folder_of(folder, repo, revision).joinpath(_COMPLETE).is_file():
        hub = _library(repo)
        revision = _call(repo, lambda: str(hub.HfApi().dataset_info(repo, revision=revision or None).sha))
        root = _folder_of(folder, repo, revision)
        if not (root / _COMPLETE).is_file():
            wanted = {"repo_type": "dataset", "revision": revision, "local_dir": str(root)}
            _call(repo, lambda: hub.snapshot_download(repo, **wanted))
            files.write_bytes(root / _COMPLETE, f"{repo} {revision}\n".encode())
    return _folder_of(folder, repo, revision), HubOrigin(repo, revision)


def _folder_of(folder: Path, repo: str, revision: str) -> Path:
    return files.contained(folder, f"{HUB}/{repo.replace('/', '--')}/{revision}")


def _library(repo: str) -> Any:
    try:
        return importlib.import_module("huggingface_hub")
    except ImportError:
        way_out = f"pip install huggingface_hub, or download the dataset and give its folder instead of {repo}"
        raise GlamError(f"{repo}: no such folder, and datasets of the Hub need huggingface_hub: {way_out}") from None


def _call(repo: str, ask: Any) -> Any:
    """Answer of the Hub; whatever keeps it from answering is one sentence."""
    try:
        return ask()
    except Exception as error:  # the library raises errors of several HTTP libraries
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
        raise GlamError(f"{repo}: no such folder, and the Hub does not give it: {reason}") from None
