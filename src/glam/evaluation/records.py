"""Records of an evaluation: one JSON object per episode and line, from which every number is computed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glam.core import files
from glam.core.configs import from_json, to_json
from glam.core.errors import GlamError
from glam.evaluation.smoothness import Smoothness

RECORDS = "episodes.jsonl"
FORMAT = 1

STAGES = ("reach", "grasp", "place", "release")
"""Usual milestones of a task, in their order; a task may name others."""


@dataclass(frozen=True)
class RolloutRecord:
    """One rollout of one policy from one configuration."""

    task: str
    method: str
    """Such as `glam-o`."""
    embodiment: str
    training_seed: int
    test_seed: int
    """Of the configuration; equal seeds are equal configurations."""
    is_success: bool
    steps: int
    failed_stage: str
    """The first milestone of the task that was not achieved; `none` exactly in a success."""
    failure: str
    """What went wrong, for a reader; empty exactly in a success."""
    smoothness: tuple[Smoothness, ...]
    """Of each hand that moved."""

    def __post_init__(self) -> None:
        """Refuse a record that contradicts itself."""
        if not (self.task and self.method and self.embodiment and self.failed_stage):
            raise GlamError("an episode record needs a task, a method, an embodiment and a failed_stage")
        if min(self.training_seed, self.test_seed, self.steps) < 0:
            raise GlamError(f"episode {self.test_seed}: seeds and steps cannot be negative")
        if self.is_success != (self.failed_stage == "none") or self.is_success != (self.failure == ""):
            raise GlamError(
                f"episode {self.test_seed}: a success has failed_stage 'none' and no failure text, a failure has both; "
                f"got is_success={self.is_success}, {self.failed_stage!r}, {self.failure!r}"
            )


def write_records(folder: Path, records: Sequence[RolloutRecord]) -> None:
    """Write all records of a run at once: the file is there and complete, or not there."""
    _refuse_repetition(records, folder / RECORDS)
    lines = [json.dumps({"format": FORMAT} | to_json(record), allow_nan=False) + "\n" for record in records]
    files.write_bytes(folder / RECORDS, "".join(lines).encode())


def read_records(folder: Path) -> tuple[RolloutRecord, ...]:
    """The records of a run; a damaged or contradictory one is an error that names its line."""
    path = folder / RECORDS
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        raise GlamError(f"{path}: no such file; give the folder of an evaluation") from None
    except UnicodeDecodeError as error:
        raise GlamError(f"{path}: not text ({error}); evaluate again") from None
    records = tuple(_read_line(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1))
    _refuse_repetition(records, path)
    return records


def _read_line(line: str, where: str) -> RolloutRecord:
    try:
        value = json.loads(line, parse_constant=_refuse_constant)
    except ValueError as error:
        raise GlamError(f"{where}: not valid JSON ({error}); evaluate again") from None
    if not isinstance(value, dict) or value.pop("format", "none") != FORMAT:
        raise GlamError(f"{where}: not an episode record of format {FORMAT}; evaluate again")
    try:
        return from_json(RolloutRecord, value)
    except GlamError as error:
        raise GlamError(f"{where}: {error}") from None


def _refuse_constant(name: str) -> Any:
    """Python reads NaN and Infinity, which JSON does not know."""
    raise ValueError(f"{name} is no JSON number")


def _refuse_repetition(records: Sequence[RolloutRecord], path: Path) -> None:
    """An episode counted twice would narrow every interval."""
    if not records:
        raise GlamError(f"{path}: no episodes; an evaluation has at least one")
    seen = set()
    for record in records:
        key = (record.task, record.method, record.embodiment, record.training_seed, record.test_seed)
        if key in seen:
            raise GlamError(f"{path}: episode {record.test_seed} of {record.method} is there twice")
        seen.add(key)
