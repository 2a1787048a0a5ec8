"""Contents of a report, read from folders beforehand, and everything behind its numbers.

The latter is shown for each folder: command, versions, seeds and hashes.
"""

import hashlib
import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glam.evaluation.evaluations import Evaluation
from glam.evaluation.lineage import Lineage
from glam.reports.markup import Html, element, joined
from glam.reports.page import facts, folded
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


Evidence = Evaluation | Training | ReplayFolder
"""A folder with numbers of a report."""

MOST_LINKS = 4
_UNKNOWN = "not recorded"


def behind(items: Iterable[Evidence]) -> Html:
    """Links to the entries of these evaluations, trainings or replays; folded when there are many."""
    titles = {item.root: title(item) for item in items}
    links = [element("a", text, href=f"#{_anchor(root)}") for root, text in titles.items()]
    listed = joined([part for link in links for part in (", ", link)][1:])
    if len(links) > MOST_LINKS:
        return element("div", folded(f"Behind these numbers: {len(links)} folders", listed), class_="note behind")
    return element("p", "Behind these numbers: ", listed, class_="note behind")


def entries(material: Material) -> Iterator[Html]:
    """One entry for each folder, folded."""
    for evaluation in material.evaluations:
        yield _entry(evaluation, _evaluation(evaluation))
    for training in (*material.policies, *material.world_models):
        yield _entry(training, _training(training))
    for replay in material.replays:
        yield _entry(replay, _replay(replay))


def title(item: Evidence) -> str:
    """Name of a folder for a reader, with the training seed where there is one."""
    if isinstance(item, Evaluation):
        return f"evaluation of {item.lineage.name}, seed {item.lineage.seed}"
    if isinstance(item, ReplayFolder):
        return f"replay of {item.name}"
    kind = f"policy {item.lineage.name}" if isinstance(item, PolicyTraining) else f"world model {item.method}"
    return f"{kind}, seed {item.seed}"


def _entry(item: Evidence, rows: Mapping[str, object]) -> Html:
    known = {name: value for name, value in rows.items() if value}
    # The anchor lies inside: a link to it opens the entry.
    return folded(title(item), element("div", facts({"Folder": code(str(item.root))} | known), id=_anchor(item.root)))


def _evaluation(evaluation: Evaluation) -> dict[str, object]:
    seeds = [record.test_seed for record in evaluation.records]
    return {
        "Command": _command(evaluation.command),
        "Scenes": f"{len(seeds)}, {evaluation.records[0].split}, seeds {min(seeds)} to {max(seeds)}",
        "n_action_steps": f"{evaluation.chunking.n_action_steps}",
        "Temporal ensembling weight": f"{evaluation.chunking.temporal_ensemble_weight:g}",
        "Time": f"{evaluation.seconds:.0f} s",
        "Records": code(f"sha256 {evaluation.sha256}"),
        "Policy": code(evaluation.lineage.digest),
        "Training seed": f"{evaluation.lineage.seed}",
        "Trained by": _command(evaluation.lineage.command) if evaluation.lineage.command else "",
        "World model": evaluation.lineage.world_model,
        "Inputs": _inputs(evaluation.lineage.inputs, evaluation.lineage),
        "Versions": _pairs(evaluation.versions),
        "Machine": _pairs(evaluation.machine),
    }


def _training(training: Training) -> dict[str, object]:
    record, last = training.record, training.lines[-1] if training.lines else {"step": 0, "seconds": 0.0}
    config = json.dumps(record["config"], indent=1, sort_keys=True)
    return {
        "Command": _command(record["command"]),
        "Seed": f"{training.seed}",
        "Steps": f"{last['step']}, in {last['seconds'] / 60:.1f} minutes",
        "Digest": code(training.digest) if training.digest else "training has not finished",
        "Inputs": _inputs(record["inputs"]),
        "Versions": _pairs(record["versions"]),
        "Machine": _pairs(record["machine"]),
        "Config": folded("all settings", element("pre", config)),
    }


def _replay(replay: ReplayFolder) -> dict[str, object]:
    record = replay.record
    return {
        "Command": _command(record.command),
        "Settings": _pairs(record.config),
        "World model": code(record.world_model),
        "Dataset": code(record.dataset),
        "Record": code(f"sha256 {replay.sha256}"),
        "Versions": _pairs(record.versions),
        "Machine": _pairs(record.machine),
    }


def _inputs(inputs: Mapping[str, str], lineage: Lineage | None = None) -> Html:
    names = {
        source.digest: f"{source.name}, {source.episodes} episodes" for source in (lineage.data if lineage else ())
    }
    lines = [
        element("div", f"{names.get(digest, name.replace('_', ' '))} ", code(digest)) for name, digest in inputs.items()
    ]
    return joined(lines)


def _command(words: Sequence[str]) -> Html:
    """As it was typed; the first word is the file that Python ran."""
    return code(shlex.join(["glam", *words[1:]])) if words else Html(_UNKNOWN)


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items()) or _UNKNOWN


def code(text: str) -> Html:
    """Something to copy."""
    return element("code", text)


def _anchor(root: Path) -> str:
    return f"behind-{hashlib.sha256(str(root.resolve()).encode(errors='replace')).hexdigest()[:12]}"
