"""Contents of a report, read from folders beforehand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glam.evaluation.evaluations import Evaluation
from glam.evaluation.lineage import Lineage
from glam.reports.world_model_page import SourceView, Subject
from glam.world_models.verdicts import Line, Verdict


@dataclass(frozen=True)
class GridTable:
    """One grid of `glam bench` as a table."""

    name: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Training:
    """A run folder; its record is the content of `config.json`."""

    root: Path
    record: Mapping[str, Any]
    lines: tuple[Line, ...]
    """The log."""
    digest: str
    """Digest of the weights; empty while training goes on."""

    @property
    def method(self) -> str:
        """Name of the recipe."""
        return str(self.record["config"]["method"])

    @property
    def seed(self) -> int:
        """Training seed."""
        return int(self.record["seed"])


@dataclass(frozen=True)
class PolicyTraining(Training):
    """A policy."""

    lineage: Lineage


@dataclass(frozen=True)
class WorldModelTraining(Training):
    """A world model."""

    subject: Subject
    verdicts: tuple[Verdict, ...]
    views: tuple[SourceView, ...]


@dataclass(frozen=True)
class ReplaySummary:
    """Counts and medians over the episodes of a replay."""

    episodes: float
    successes: float
    median_aligned_mm: float
    median_path_mm: float
    median_degrees: float
    median_gripper: float


@dataclass(frozen=True)
class ReplayRecord:
    """The part of `replay.json` that a report needs."""

    config: dict[str, Any]
    world_model: str
    dataset: str
    summary: ReplaySummary
    source: str = ""
    """Name of the replayed dataset; empty in records of long ago."""
    command: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    machine: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ReplayFolder:
    """A folder made by `glam replay`."""

    root: Path
    record: ReplayRecord
    sha256: str
    """Of `replay.json`."""
    films: tuple[Path, ...]

    @property
    def name(self) -> str:
        """Replayed dataset and embodiment."""
        return f"{self.record.source or self.record.dataset[:8]} on {self.record.config['embodiment']}"


@dataclass(frozen=True)
class Material:
    """Everything that a report shows."""

    evaluations: tuple[Evaluation, ...] = ()
    policies: tuple[PolicyTraining, ...] = ()
    world_models: tuple[WorldModelTraining, ...] = ()
    replays: tuple[ReplayFolder, ...] = ()
    benchmarks: tuple[GridTable, ...] = ()
