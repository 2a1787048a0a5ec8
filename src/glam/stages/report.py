"""`glam report`: evaluations, trainings, replays and benchmarks on one page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from glam.core import seals
from glam.core.configs import from_json
from glam.core.errors import GlamError
from glam.core.files import contained, read_json, require_writable
from glam.core.workers import Progress, no_progress
from glam.data import layout
from glam.data.reader import Dataset
from glam.evaluation.evaluations import Evaluation, is_evaluation, read_evaluation
from glam.evaluation.lineage import Lineage
from glam.policies.trained import KIND as POLICY
from glam.reports.summary.material import (
    Material,
    PolicyTraining,
    ReplayFolder,
    ReplayRecord,
    Training,
    WorldModelTraining,
)
from glam.reports.summary.page import Introduction, write_report
from glam.reports.summary.results import is_benchmark, read_benchmarks
from glam.reports.world_model_page import Subject
from glam.stages.inspect import examine
from glam.stages.lineage import datasets_among, datasets_of, kind_of, lineage_of, places
from glam.training import artefact, metrics
from glam.training.recorder import METRICS
from glam.world_models.runs import KIND as WORLD_MODEL

REPLAY = "replay.json"
DEEPEST = 4
"""Levels of folders that are searched below a given one."""
_MAKERS = "glam evaluate, glam train-policy, glam train-world-model, glam replay or glam bench"


@dataclass(frozen=True)
class Folders:
    """Folders by what they hold."""

    evaluations: list[Path] = field(default_factory=list)
    policies: list[Path] = field(default_factory=list)
    world_models: list[Path] = field(default_factory=list)
    replays: list[Path] = field(default_factory=list)
    benchmarks: list[Path] = field(default_factory=list)
    datasets: list[Path] = field(default_factory=list)

    @property
    def shown(self) -> list[Path]:
        """Everything that a page can show; datasets only help."""
        return [*self.evaluations, *self.policies, *self.world_models, *self.replays, *self.benchmarks]


def report(
    roots: Sequence[Path], out: Path, progress: Progress = no_progress, *, introduction: Introduction | None = None
) -> Path:
    """Write one page about everything in and below `roots`; returns `out`."""
    if out.is_dir():
        raise GlamError(f"--out {out}: is a folder; give the name of the page, such as {out / 'report.html'}")
    folders = find(roots)
    require_writable(out)
    around = [*folders.datasets, *folders.world_models]
    policies = [_policy(root, around) for root in folders.policies]
    known = {policy.digest: policy.lineage for policy in policies if policy.digest}
    models = [_world_model(root, folders.datasets, progress) for root in folders.world_models]
    names = {dataset.content_id: _source_name(dataset) for dataset in datasets_among(folders.datasets)}
    material = Material(
        evaluations=tuple(_evaluation(root, known) for root in folders.evaluations),
        policies=tuple(policies),
        world_models=tuple(models),
        replays=tuple(read_replay(root, names) for root in folders.replays),
        benchmarks=tuple(table for root in folders.benchmarks for table in read_benchmarks(root)),
    )
    write_report(out, material, introduction)
    return out


def find(roots: Sequence[Path]) -> Folders:
    """Recognise the given folders and those below them; one in which there is nothing is refused by name."""
    if not roots:
        raise GlamError(f"no folder; give at least one made by {_MAKERS}, or one that holds such folders")
    found, seen = Folders(), set[Path]()
    for root in roots:
        if not root.is_dir():
            raise GlamError(f"{root}: no such folder; give folders made by {_MAKERS}")
        inside = list(_recognised(root, DEEPEST))
        if not inside:
            raise GlamError(f"{root}: nothing to report in it; give folders made by {_MAKERS}")
        for kind, folder in inside:
            if folder.resolve() not in seen:
                seen.add(folder.resolve())
                getattr(found, kind).append(folder)
    if not found.shown:
        raise GlamError(f"{roots[0]}: a dataset, and nothing that was trained on it; give folders made by {_MAKERS}")
    return found


def _recognised(folder: Path, deeper: int) -> Iterator[tuple[str, Path]]:
    kind = _kind(folder)
    if kind:
        yield kind, folder
    elif deeper:
        for child in sorted(folder.iterdir()):
            if child.is_dir() and not child.name.startswith("."):
                yield from _recognised(child, deeper - 1)


def _kind(folder: Path) -> str:
    if is_evaluation(folder):
        return "evaluations"
    if (folder / REPLAY).is_file():
        return "replays"
    if (folder / layout.INFO).is_file():
        return "datasets"
    if is_benchmark(folder):
        return "benchmarks"
    return {POLICY: "policies", WORLD_MODEL: "world_models"}.get(kind_of(folder), "")


def _source_name(dataset: Dataset) -> str:
    """The embodiment that recorded a dataset; the folder where that is not known."""
    description = dataset.provenance.get("description", {})
    return str(description.get("embodiment", "")) or dataset.root.resolve().name


def _evaluation(root: Path, known: Mapping[str, Lineage]) -> Evaluation:
    """An evaluation, with the lineage of its policy where the policy is at hand."""
    evaluation = read_evaluation(root)
    return replace(evaluation, lineage=known.get(evaluation.lineage.digest, evaluation.lineage))


def _policy(root: Path, around: Sequence[Path]) -> PolicyTraining:
    training = _training(root)
    config = training.record["config"]
    behind = Lineage(str(config["method"]), training.seed, "", "", dict(training.record["inputs"]))
    if training.digest:
        behind = lineage_of(artefact.load(root), [*around, *places(root, training.record["command"])])
    return PolicyTraining(**vars(training), lineage=behind)


def _world_model(root: Path, datasets: Sequence[Path], progress: Progress) -> WorldModelTraining:
    training = _training(root)
    if not training.digest:
        return WorldModelTraining(**vars(training), subject=Subject(root.name, {}, (), ()), verdicts=(), views=())
    sources = datasets_of(root, training.record, datasets)
    seen = examine(root, sources, progress)
    names = [_source_name(dataset) for dataset in datasets_among(sources)]
    are_unique = len(names) == len(seen.views) == len(set(names))
    views = seen.views
    if are_unique:
        views = tuple(replace(view, name=name) for view, name in zip(seen.views, names, strict=True))
    return WorldModelTraining(**vars(training), subject=seen.subject, verdicts=seen.verdicts, views=views)


def _training(root: Path) -> Training:
    found = artefact.load(root) if artefact.is_finished(root) else None
    path = root / artefact.CONFIG
    record = found.record if found else artefact.require_record(read_json(path), path)
    if "method" not in record["config"]:
        raise GlamError(f"{path}: not the record of a training: it names no method; restore it from a copy")
    return Training(root, record, _lines(root / METRICS), found.digest if found else "")


def _lines(path: Path) -> tuple[dict[str, Any], ...]:
    """The log; a training that has just begun has none yet."""
    lines = metrics.read(path) if path.exists() else []
    for number, line in enumerate(lines, 1):
        if line.get("split") not in {"train", "validation"} or not isinstance(line.get("seconds"), float | int):
            raise GlamError(f"{path}: line {number} is not a line of metrics; restore the file from a copy")
    return tuple(lines)


def read_replay(root: Path, names: Mapping[str, str]) -> ReplayFolder:
    """A folder made by `glam replay`; `names` of datasets by their content. Anything damaged is an error."""
    path = root / REPLAY
    if not seals.is_sealed(root):
        raise GlamError(f"{root}: its replay has not ended; run the same command again")
    value, films = seals.read_json(root, REPLAY), list(_replay_films(root))
    wanted = {field.name for field in fields(ReplayRecord)}
    try:
        known = {name: item for name, item in value.items() if name in wanted} if isinstance(value, dict) else value
        record = from_json(ReplayRecord, known)
    except GlamError as error:
        raise GlamError(f"{path}: {error}; replay again") from None
    if (
        not {"embodiment", "task"} <= record.config.keys()
        or not 0 <= record.summary.successes <= record.summary.episodes
    ):
        raise GlamError(f"{path}: not the record of a replay; replay again")
    named = replace(record, source=names.get(record.dataset, record.source))
    return ReplayFolder(root, named, seals.digests(root)[REPLAY], tuple(films))


def _replay_films(root: Path) -> Iterator[Path]:
    """Films that are still there, as they were sealed."""
    for name in sorted(seals.digests(root)):
        path = contained(root, name)
        if name.endswith(".mp4") and path.is_file():
            seals.read(root, name)
            yield path
