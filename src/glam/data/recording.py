"""Crash-safe recording of a dataset by one recorder and its worker processes, and its publication.

Publication gives each acknowledged episode its place, then writes what describes the whole. Order is safety.
`meta/info.json` is taken away first and put back last, so a half-published set is never taken for a whole one. The
manifest vouches for episodes only when everything about them is in place; until then their journal records do. Every
step can be repeated, so calling `publish` again repairs a publication that was cut short.

    with recording(root, schema, description):
        for index in sorted(set(range(n)) - acknowledged(root)):     # spread over processes as you like
            save_episode(root, schema, index, episode, facts)
        publish(root, schema, description, episodes=n)

An episode exists from the moment its journal record does, and is never lost from then on. Whatever the number of
workers and interruptions, the published files are the same bytes.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core import files
from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.data import image_codecs, journal, layout, manifest, tables
from glam.data.assembly import Assembly
from glam.data.journal import acknowledged
from glam.data.manifest import DatasetDescription, Manifest
from glam.data.schema import Episode, Schema
from glam.data.tables import episode_rows, histogram, histogram_lines, parquet_bytes


def publish(root: Path, schema: Schema, description: DatasetDescription, episodes: int) -> None:
    """Make the first `episodes` episodes, all acknowledged, a dataset. A published one may grow, not shrink."""
    journal.require_begun(root)
    journal.begin(root, schema, description)
    with journal.quiet(root):
        _require_complete(root, episodes)
        if not ((root / layout.INFO).exists() and journal.published(root) == episodes):
            # All that may be found damaged is looked at while a set published earlier is still readable.
            assembly = _published(root, schema)
            waiting = range(assembly.count, episodes)
            for index in waiting:
                _require_intact(root, index)
            files.contained(root, layout.INFO).unlink(missing_ok=True)
            files.sync_folder((root / layout.INFO).parent)
            for index in waiting:
                _settle(root, index, journal.read(root, index), assembly)
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


def _published(root: Path, schema: Schema) -> Assembly:
    """The assembly of the episodes that are already published, exactly as it was."""
    assembly = Assembly(schema)
    if not (root / layout.MANIFEST).exists():
        return assembly
    old, _ = manifest.read(root)
    count = len(old.facts)
    listed = tables.read_parquet(files.contained(root, layout.EPISODES)).slice(0, count)
    assembly.histograms = {key: tables.histogram_from_lines(lines) for key, lines in old.histograms.items()}
    assembly.facts = list(old.facts)
    assembly.files = {name: digest for name, digest in old.files.items() if not name.startswith("meta/")}
    for index in range(count):
        (row,) = listed.slice(index, 1).to_pylist()
        assembly.add_row(row)
        assembly.task_index(row["tasks"][0])
        name = layout.data_file(index)
        manifest.require_intact(root, name, old.files[name])
        assembly.add_numbers(tables.read_parquet(files.contained(root, name)))
    return assembly


def _require_intact(root: Path, index: int) -> None:
    """Refuse an acknowledged episode whose files are not what was saved."""
    record = journal.read(root, index)
    for name, digest in record.files.items():
        problem = manifest.damage(root, name, digest)
        if problem:
            raise GlamError(
                f"{root}/{name}: damaged ({problem}); delete {root}/{layout.journal_record(index)} "
                "and record the episode again with the same command"
            )


def _settle(root: Path, index: int, record: journal.JournalRecord, assembly: Assembly) -> None:
    """Give a waiting episode its place after all earlier ones."""
    schema = assembly.schema
    waiting = tables.read_parquet(files.contained(root, layout.journal_rows(index)))
    table = tables.placed(schema, waiting, assembly.frames, assembly.task_index(record.task))
    content = tables.parquet_bytes(table)
    files.write_bytes(files.contained(root, layout.data_file(index)), content)

    counts = {key: tables.histogram_from_lines(lines) for key, lines in record.histograms.items()}
    statistics = {key: tables.row_statistics(values) for key, values in assembly.add_numbers(table).items()}
    statistics |= tables.histogram_statistics(counts, schema.image_size)
    assembly.add_row(_row(schema, index, assembly.frames, record) | _flat(statistics))
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


def _describe(root: Path, schema: Schema, description: DatasetDescription, assembly: Assembly) -> None:
    """Write everything about the set as a whole, the manifest and `info.json` last."""
    exact = {key: tables.row_statistics(np.concatenate(parts)) for key, parts in assembly.numbers.items()}
    statistics = exact | tables.histogram_statistics(assembly.histograms, schema.image_size)
    contents = {
        layout.EPISODES: tables.parquet_bytes(assembly.table()),
        layout.TASKS: tables.parquet_bytes(tables.tasks_table(assembly.tasks)),
        layout.STATS: _json_bytes(statistics),
    }
    for name, content in contents.items():
        files.write_bytes(files.contained(root, name), content)
    contents[layout.INFO] = _json_bytes(_info(schema, description, assembly))
    contents[layout.RECORDING] = files.read_bytes(files.contained(root, layout.RECORDING))
    sealed = Manifest(
        role=schema.role,
        arms=list(schema.arms),
        objects=list(schema.objects),
        description=to_json(description),
        facts=assembly.facts,
        histograms={key: tables.histogram_lines(counts) for key, counts in assembly.histograms.items()},
        files=assembly.files | {name: sha256(content).hexdigest() for name, content in contents.items()},
    )
    manifest.write(root, sealed)
    files.write_bytes(files.contained(root, layout.INFO), contents[layout.INFO])


def _info(schema: Schema, description: DatasetDescription, assembly: Assembly) -> dict[str, Any]:
    features = tables.features(schema)
    for key in schema.image_keys:
        features[key]["info"] = image_codecs.video_info(schema.fps, schema.image_size)
    return {
        "codebase_version": layout.CODEBASE_VERSION,
        "robot_type": description.embodiment,
        "total_episodes": assembly.count,
        "total_frames": assembly.frames,
        "total_tasks": len(assembly.tasks),
        "chunks_size": layout.FILES_PER_CHUNK,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "fps": schema.fps,
        "splits": {"train": f"0:{assembly.count}"},
        "data_path": layout.DATA_TEMPLATE,
        "video_path": layout.VIDEO_TEMPLATE if schema.cameras else None,
        "features": features,
    }


def _flat(statistics: dict[str, tables.Statistics]) -> dict[str, Any]:
    return {f"stats/{key}/{name}": value for key, values in statistics.items() for name, value in values.items()}


def _json_bytes(value: Any) -> bytes:
    return (json.dumps(value, indent=1, allow_nan=False) + "\n").encode()


__all__ = ["DatasetDescription", "acknowledged", "publish", "recording", "require_valid", "save_episode"]


@contextmanager
def recording(root: Path, schema: Schema, description: DatasetDescription) -> Iterator[None]:
    """Be the only recorder of `root`, new or begun earlier with the same schema and description."""
    files.require_new_or_own(root, layout.RECORDING, layout.LOCK, "a recording")
    busy = f"{root}: another recorder is writing here; wait for it to end, or choose another folder"
    with files.exclusive(files.contained(root, layout.LOCK), busy):
        journal.begin(root, schema, description)
        with journal.quiet(root):
            journal.sweep(root, schema)
        yield


def save_episode(root: Path, schema: Schema, index: int, episode: Episode, facts: dict[str, Any]) -> None:
    """Store an episode durably and acknowledge it; does nothing if it is acknowledged already.

    May be called by any process while a `recording` is open. `facts` is small plain JSON kept in the manifest.
    """
    require_valid(schema, episode, index)
    with journal.saving(root):
        if journal.is_acknowledged(root, index):
            return
        contents = {layout.journal_rows(index): parquet_bytes(episode_rows(schema, episode, index))}
        contents |= {
            layout.video_file(key, index): image_codecs.encode_video(episode.images[key], schema.fps)
            for key in schema.image_keys
        }
        for name, content in contents.items():
            files.write_bytes(files.contained(root, name), content)
        record = journal.JournalRecord(
            length=len(episode),
            task=episode.task,
            files={name: sha256(content).hexdigest() for name, content in contents.items()},
            histograms={
                key: histogram_lines(histogram(seen)) for key, seen in (episode.images | episode.masks).items()
            },
            facts=facts,
        )
        journal.write(root, index, record)


def require_valid(schema: Schema, episode: Episode, index: int) -> None:
    """Refuse an episode that is not of the schema; the error names the feature."""
    where = f"episode {index}"
    length = len(episode)
    if length < 2:
        raise GlamError(f"{where}: {length} frames; an episode must have at least 2")
    if not episode.task:
        raise GlamError(f"{where}: the task is empty; it must say what is done")
    _require_keys(where, schema.vectors, episode.vectors)
    _require_keys(where, schema.image_keys, episode.images)
    _require_keys(where, schema.mask_keys, episode.masks)
    for key, names in schema.vectors.items():
        _require_array(f"{where}: {key}", episode.vectors[key], (length, len(names)), np.float32)
        if not np.isfinite(episode.vectors[key]).all():
            frame = int(np.argwhere(~np.isfinite(episode.vectors[key]))[0, 0])
            raise GlamError(f"{where}: {key} is not finite in frame {frame}")
    for key in schema.image_keys:
        _require_array(f"{where}: {key}", episode.images[key], (length, *schema.image_size, 3), np.uint8)
    for key in schema.mask_keys:
        shape = (length, *schema.image_size, len(schema.objects))
        _require_array(f"{where}: {key}", episode.masks[key], shape, np.uint8)
        if not ((episode.masks[key] == 0) | (episode.masks[key] == 255)).all():
            raise GlamError(f"{where}: {key} has values other than 0 and 255")


def _require_keys(where: str, wanted: Any, given: Any) -> None:
    for key in sorted(set(wanted) ^ set(given)):
        problem = "is missing" if key in wanted else "has no place in this dataset"
        raise GlamError(f"{where}: {key} {problem}; the schema has {', '.join(wanted) or 'none'}")


def _require_array(what: str, array: NDArray[Any], shape: tuple[int, ...], dtype: type) -> None:
    if array.shape != shape or array.dtype != dtype:
        wanted = f"{np.dtype(dtype)} of shape {shape}"
        raise GlamError(f"{what} is {array.dtype} of shape {array.shape}; it must be {wanted}")
