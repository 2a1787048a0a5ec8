"""The folder of a training. Only the command that created it can continue it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glam.core import files
from glam.core.configs import to_json
from glam.core.differences import first_difference
from glam.core.errors import GlamError
from glam.training import machine
from glam.training.artefact import CONFIG, is_finished
from glam.training.machine import versions
from glam.training.parallel import ALONE, Processes

LOCK = ".lock"
FORMAT = 1


@dataclass(frozen=True)
class RunDescription:
    """Kind, settings and inputs of a training."""

    kind: str
    """Such as `world-model`."""
    config: Any
    """The full config: a frozen dataclass."""
    seed: int
    inputs: Mapping[str, str]
    """Digest of each input, by name."""
    command: tuple[str, ...]
    """The command line; kept for information, never compared."""


@contextmanager
def opened(root: Path, description: RunDescription, processes: Processes = ALONE) -> Iterator[None]:
    """Open `root` for this training alone, which is new or was started earlier with an equal description.

    An unfinished run must resume with the package versions it started with, or its bits would depend on the
    interruption. With several processes the first one does this for all.
    """
    if not processes.is_first:
        yield
        return
    files.require_new_or_own(root, CONFIG, LOCK, "a training")
    busy = f"{root}: another training is writing here; wait for it to end, or choose another folder"
    with files.exclusive(root / LOCK, busy):
        _delete_temporary(root)
        record = _record(description)
        if (root / CONFIG).exists():
            _refuse_other(root, record)
        else:
            files.write_json(root / CONFIG, record)
        yield


def _record(description: RunDescription) -> dict[str, Any]:
    record: dict[str, Any] = to_json(description)
    return record | {"format": FORMAT, "versions": versions(), "machine": machine.description()}


def _delete_temporary(root: Path) -> None:
    """Remove temporary files that a crash left behind."""
    for path in root.glob(f".*{files.TEMPORARY_SUFFIX}"):
        path.unlink()


def _refuse_other(root: Path, record: dict[str, Any]) -> None:
    there = files.read_json(root / CONFIG)
    if not isinstance(there, dict) or there.get("format") != FORMAT:
        raise GlamError(f"{root / CONFIG}: not a config of format {FORMAT}; choose another folder")
    compared = ["kind", "config", "seed", "inputs", *([] if is_finished(root) else ["versions"])]
    for name in compared:
        difference = first_difference(there.get(name), record[name], name)
        if difference:
            raise GlamError(f"{root}: started with another setting: {difference}; use the same or another folder")
