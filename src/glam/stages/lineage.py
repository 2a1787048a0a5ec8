"""Lineage of a policy: its record holds digests of its inputs, whose folders are searched around it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from glam.core.errors import GlamError
from glam.core.files import read_json
from glam.data import layout
from glam.data.demonstrations import hold_out
from glam.data.reader import Dataset
from glam.data.skipping import datasets_in, recorded_skips, remaining
from glam.data.windows import EpisodeTable
from glam.evaluation.lineage import DataSource, Lineage, recipe
from glam.policies.trained import KIND as POLICY
from glam.training import artefact
from glam.training.artefact import Artefact
from glam.world_models.runs import KIND as WORLD_MODEL

_WORLD_MODEL = "world_model"
"""Name of that input in the record of a policy; all others are datasets and files."""


def lineage(policy: Path) -> Lineage:
    """Lineage of a policy; inputs that have been moved away are known by their digests only."""
    found = artefact.load(policy)
    if found.kind != POLICY:
        raise GlamError(f"{policy}: holds a {found.kind}, not a policy; give a folder made by train-policy")
    return lineage_of(found, list(places(policy, found.record["command"])))


def lineage_of(found: Artefact, around: Sequence[Path]) -> Lineage:
    """Lineage of a loaded policy, with inputs from the folders `around`."""
    inputs = found.inputs
    base, method = {"digest": inputs.get(_WORLD_MODEL, "")}, ""
    if _WORLD_MODEL in inputs:
        for model in world_models_among(around):
            if model.digest == inputs[_WORLD_MODEL]:
                base, method = model.config, model.method
    datasets = {dataset.content_id: dataset for dataset in datasets_among(around)}
    data = {name: digest for name, digest in inputs.items() if name != _WORLD_MODEL}
    return Lineage(
        method=found.method,
        seed=int(found.record["seed"]),
        digest=found.digest,
        recipe=recipe(found.config, base, data),
        inputs=inputs,
        data=tuple(_source(datasets[digest], found) for digest in data.values() if digest in datasets),
        world_model=method,
        command=tuple(found.record["command"]),
        versions=found.record["versions"],
    )


def places(run: Path, command: Iterable[str]) -> Iterator[Path]:
    """Folders that may hold the inputs of a training: those named in its command, and those beside its own."""
    for word in command:
        with suppress(OSError):  # a word may be too long to be a path
            if Path(word).is_dir():
                yield Path(word)
    yield from (path for path in sorted(run.resolve().parent.iterdir()) if path.is_dir())


def datasets_among(folders: Iterable[Path]) -> Iterator[Dataset]:
    """Datasets that carry their digest; those of others would have to be read as a whole."""
    for folder in folders:
        if (folder / layout.MANIFEST).is_file():
            with suppress(GlamError):  # what lies beside a run may be half written or broken
                yield Dataset.open(folder)


def datasets_of(run: Path, record: Mapping[str, Any], around: Sequence[Path] = ()) -> tuple[Path, ...]:
    """The datasets of a world model's training in their order; none unless all are found."""
    inputs = datasets_in(record["inputs"])
    near = datasets_among([*around, *places(run, record["command"])])
    by_digest = {dataset.content_id: dataset.root for dataset in near}
    found = tuple(by_digest[digest] for digest in inputs.values() if digest in by_digest)
    return found if len(found) == len(inputs) else ()


def world_models_among(folders: Iterable[Path]) -> Iterator[Artefact]:
    """Finished trainings of world models."""
    for folder in folders:
        with suppress(GlamError):
            if kind_of(folder) == WORLD_MODEL and artefact.is_finished(folder):
                yield artefact.load(folder)


def kind_of(folder: Path) -> str:
    """Kind of the training in `folder`; empty when it is not the folder of a training."""
    if not (folder / artefact.CONFIG).is_file():
        return ""
    record = read_json(folder / artefact.CONFIG)
    return str(record.get("kind", "")) if isinstance(record, dict) else ""


def _source(dataset: Dataset, found: Artefact) -> DataSource:
    description = dataset.provenance.get("description", {})
    table = EpisodeTable.of_lengths([record.length for record in dataset.episodes])
    share, seed = found.setting("held_out"), found.setting("split_seed")
    if not isinstance(share, int | float) or not isinstance(seed, int):
        raise GlamError(f"{found.root / artefact.CONFIG}: held_out and split_seed must be numbers; restore the file")
    split = hold_out(table, dataset.content_id, share, seed)
    return DataSource(
        digest=dataset.content_id,
        name=dataset.root.resolve().name,
        embodiment=str(description.get("embodiment", "")),
        is_labelled=dataset.schema.role == "target",
        episodes=len(remaining(split.train, table, recorded_skips(found.inputs).of(dataset))),
    )
