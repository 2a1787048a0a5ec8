"""From acknowledged episodes to a dataset: give each its place, then write what describes the whole.

Order is safety. `meta/info.json` is taken away first and put back last, so a half-published set is never taken for a
whole one. The manifest vouches for episodes only when everything about them is in place; until then their journal
records do. Every step can be repeated, so calling `publish` again repairs a publication that was cut short.
"""

import json
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from glam.core import files
from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.data import feature_statistics, journal, layout, manifest, tables, video
from glam.data.manifest import DatasetDescription, Manifest
from glam.data.schema import Schema


@dataclass
class _Assembly:
    """Content gathered from the episodes so far, in their order."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    tasks: dict[str, int] = field(default_factory=dict)
    numbers: dict[str, list[NDArray[Any]]] = field(default_factory=dict)
    histograms: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    facts: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)

    @property
    def frames(self) -> int:
        return int(self.rows[-1]["dataset_to_index"]) if self.rows else 0

    def task_index(self, task: str) -> int:
        return self.tasks.setdefault(task, len(self.tasks))

    def add_numbers(self, table: pa.Table) -> dict[str, NDArray[Any]]:
        numbers = tables.numbers(table)
        for key, values in numbers.items():
            self.numbers.setdefault(key, []).append(values)
        return numbers


def publish(root: Path, schema: Schema, description: DatasetDescription, episodes: int) -> None:
    """Make the first `episodes` episodes, all acknowledged, a dataset. A published one may grow, not shrink."""
    journal.require_begun(root)
    journal.begin(root, schema, description)
    with journal.quiet(root):
        _require_complete(root, episodes)
        if not ((root / layout.INFO).exists() and journal.published(root) == episodes):
            # All that may be found damaged is looked at while a set published earlier is still readable.
            assembly = _published(root)
            waiting = {index: _waiting(root, index) for index in range(len(assembly.rows), episodes)}
            (root / layout.INFO).unlink(missing_ok=True)
            files.sync_folder((root / layout.INFO).parent)
            for index, record in waiting.items():
                _settle(root, schema, index, record, assembly)
            _describe(root, schema, description, assembly)
        journal.clear(root)


def _require_complete(root: Path, episodes: int) -> None:
    safe = journal.acknowledged(root)
    missing = sorted(set(range(episodes)) - safe)
    if missing:
        raise GlamError(f"{root}: episode {missing[0]} is not recorded yet ({len(missing)} of {episodes} are missing)")
    least = max(safe, default=0) + 1
    if episodes < least:
        raise GlamError(f"{root}: episode {least - 1} is recorded already; ask for at least {least} episodes")


def _published(root: Path) -> _Assembly:
    """The assembly of the episodes that are already published, exactly as it was."""
    assembly = _Assembly()
    if not (root / layout.MANIFEST).exists():
        return assembly
    old, _ = manifest.read(root)
    count = len(old.facts)
    assembly.rows = tables.read_parquet(root / layout.EPISODES).slice(0, count).to_pylist()
    assembly.histograms = {key: feature_statistics.from_lines(lines) for key, lines in old.histograms.items()}
    assembly.facts = list(old.facts)
    assembly.files = {name: digest for name, digest in old.files.items() if not name.startswith("meta/")}
    for index, row in enumerate(assembly.rows):
        assembly.task_index(row["tasks"][0])
        name = layout.data_file(index)
        manifest.require_intact(root, name, old.files[name])
        assembly.add_numbers(tables.read_parquet(root / name))
    return assembly


def _waiting(root: Path, index: int) -> journal.JournalRecord:
    """The record of an acknowledged episode whose files are what was saved."""
    record = journal.read(root, index)
    for name, digest in record.files.items():
        problem = manifest.damage(root, name, digest)
        if problem:
            raise GlamError(
                f"{root / name}: damaged ({problem}); delete {root / layout.journal_record(index)} "
                "and record the episode again with the same command"
            )
    return record


def _settle(root: Path, schema: Schema, index: int, record: journal.JournalRecord, assembly: _Assembly) -> None:
    """Give a waiting episode its place after all earlier ones."""
    waiting = tables.read_parquet(root / layout.journal_rows(index))
    table = tables.placed(schema, waiting, assembly.frames, assembly.task_index(record.task))
    content = tables.parquet_bytes(table)
    files.write_bytes(root / layout.data_file(index), content)

    counts = {key: feature_statistics.from_lines(lines) for key, lines in record.histograms.items()}
    statistics = {key: feature_statistics.of_rows(values) for key, values in assembly.add_numbers(table).items()}
    statistics |= feature_statistics.of_histograms(counts, schema.image_size)
    assembly.rows.append(_row(schema, index, assembly.frames, record) | _flat(statistics))
    for key, values in counts.items():
        assembly.histograms[key] = assembly.histograms.get(key, 0) + values
    assembly.facts.append(record.facts)
    assembly.files |= {name: digest for name, digest in record.files.items() if not name.startswith("meta/")}
    assembly.files[layout.data_file(index)] = sha256(content).hexdigest()


def _row(schema: Schema, index: int, first_row: int, record: journal.JournalRecord) -> dict[str, Any]:
    chunk, file = layout.place(index)
    row = {
        "episode_index": index,
        "tasks": [record.task],
        "length": record.length,
        "data/chunk_index": chunk,
        "data/file_index": file,
        "dataset_from_index": first_row,
        "dataset_to_index": first_row + record.length,
        "meta/episodes/chunk_index": 0,
        "meta/episodes/file_index": 0,
    }
    for key in schema.image_keys:
        row |= {f"videos/{key}/chunk_index": chunk, f"videos/{key}/file_index": file}
        row |= {f"videos/{key}/from_timestamp": 0.0, f"videos/{key}/to_timestamp": record.length / schema.fps}
    return row


def _describe(root: Path, schema: Schema, description: DatasetDescription, assembly: _Assembly) -> None:
    """Write everything about the set as a whole, the manifest and `info.json` last."""
    exact = {key: feature_statistics.of_rows(np.concatenate(parts)) for key, parts in assembly.numbers.items()}
    statistics = exact | feature_statistics.of_histograms(assembly.histograms, schema.image_size)
    contents = {
        layout.EPISODES: tables.parquet_bytes(tables.episodes_table(schema, assembly.rows)),
        layout.TASKS: tables.parquet_bytes(tables.tasks_table(assembly.tasks)),
        layout.STATS: _json_bytes(statistics),
    }
    for name, content in contents.items():
        files.write_bytes(root / name, content)
    contents[layout.INFO] = _json_bytes(_info(schema, description, assembly))
    contents[layout.RECORDING] = (root / layout.RECORDING).read_bytes()
    sealed = Manifest(
        role=schema.role,
        arms=list(schema.arms),
        objects=list(schema.objects),
        description=to_json(description),
        facts=assembly.facts,
        histograms={key: feature_statistics.to_lines(counts) for key, counts in assembly.histograms.items()},
        files=assembly.files | {name: sha256(content).hexdigest() for name, content in contents.items()},
    )
    manifest.write(root, sealed)
    files.write_bytes(root / layout.INFO, contents[layout.INFO])


def _info(schema: Schema, description: DatasetDescription, assembly: _Assembly) -> dict[str, Any]:
    features = tables.features(schema)
    for key in schema.image_keys:
        features[key]["info"] = video.info(schema.fps, schema.image_size)
    return {
        "codebase_version": layout.CODEBASE_VERSION,
        "robot_type": description.embodiment,
        "total_episodes": len(assembly.rows),
        "total_frames": assembly.frames,
        "total_tasks": len(assembly.tasks),
        "chunks_size": layout.FILES_PER_CHUNK,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "fps": schema.fps,
        "splits": {"train": f"0:{len(assembly.rows)}"},
        "data_path": layout.DATA_TEMPLATE,
        "video_path": layout.VIDEO_TEMPLATE if schema.cameras else None,
        "features": features,
    }


def _flat(statistics: dict[str, feature_statistics.Statistics]) -> dict[str, Any]:
    return {f"stats/{key}/{name}": value for key, values in statistics.items() for name, value in values.items()}


def _json_bytes(value: Any) -> bytes:
    return (json.dumps(value, indent=1, allow_nan=False) + "\n").encode()
