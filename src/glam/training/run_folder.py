"""The folder of a training: made by one command, finished by the same command, closed to any other."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glam.core import files
from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.training import machine
from glam.training.artefact import CONFIG, is_finished
from glam.training.differences import first_difference
from glam.training.machine import versions
from glam.training.parallel import ALONE, Processes

LOCK = ".lock"
FORMAT = 1


@dataclass(frozen=True)
class Description:
    """What is trained, how and from what."""

    kind: str
    """Such as `world-model`."""
    config: Any
    """The full config: a frozen dataclass."""
    seed: int
    inputs: Mapping[str, str]
    """Digest of each thing the training reads, by name."""
    command: tuple[str, ...]
    """As it was given; kept for the reader, never compared."""


@contextmanager
def opened(root: Path, description: Description, processes: Processes = ALONE) -> Iterator[None]:
    """Be the only training in `root`, new or begun earlier with an equal description.

    An unfinished run must also go on with the versions it began with, or its bits would depend on the interruption.
    Of several processes the first does this for all.
    """
    if not processes.is_first:
        yield
        return
    _refuse_foreign(root)
    busy = f"{root}: another training is writing here; wait for it to end, or choose another folder"
    with files.exclusive(root / LOCK, busy):
        _clear_rubbish(root)
        record = _record(description)
        if (root / CONFIG).exists():
            _refuse_other(root, record)
        else:
            files.write_json(root / CONFIG, record)
        yield


def _record(description: Description) -> dict[str, Any]:
    record: dict[str, Any] = to_json(description)
    return record | {"format": FORMAT, "versions": versions(), "machine": machine.description()}


def _refuse_foreign(root: Path) -> None:
    if root.exists() and not root.is_dir():
        raise GlamError(f"{root}: is a file; choose a folder")
    if root.exists() and not (root / CONFIG).exists():
        strangers = sorted(path.name for path in root.iterdir() if not _is_ours(path.name))
        if strangers:
            raise GlamError(f"{root}: holds {strangers[0]} and no training; choose a new or empty folder")


def _clear_rubbish(root: Path) -> None:
    """Remove the temporary files that a crash left beside those they were to become."""
    for path in root.glob(f".*{files.TEMPORARY_SUFFIX}"):
        path.unlink()


def _is_ours(name: str) -> bool:
    return name == LOCK or name.endswith(files.TEMPORARY_SUFFIX)


def _refuse_other(root: Path, record: dict[str, Any]) -> None:
    there = files.read_json(root / CONFIG)
    if not isinstance(there, dict) or there.get("format") != FORMAT:
        raise GlamError(f"{root / CONFIG}: not a config of format {FORMAT}; choose another folder")
    compared = ["kind", "config", "seed", "inputs", *([] if is_finished(root) else ["versions"])]
    for name in compared:
        difference = first_difference(there.get(name), record[name], name)
        if difference:
            raise GlamError(f"{root}: begun with another setting: {difference}; use the same or another folder")
