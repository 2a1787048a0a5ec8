"""Latent actions of a dataset: a column of its own, bound to the dataset and to the model that made it.

Row t of an episode is the latent action that takes frame t to frame t + 1, so an episode of T frames has T - 1 rows
(index law). The file never touches the dataset it belongs to.

Relabelled copy of a dataset: every frame also has a latent action, for trainers that know nothing of world models.

All else is the source's: videos byte for byte, every column of every row, further features that we do not know.

No frame follows the last one of an episode, so it has no latent action, while LeRobot wants a value in every row. It
repeats the one before it, as LeRobot itself does with a chunk that runs past the end; nothing else is made up. Whoever
wants true labels alone leaves out the last row of each episode.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from glam.core import files
from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.core.workers import Progress, no_progress
from glam.data import manifest, tables
from glam.data.copying import manifest_of
from glam.data.dataset_info import read_info
from glam.data.manifest import LATENTS
from glam.data.reader import Dataset
from glam.data.vector_copy import VectorCopy
from glam.data.windows import EpisodeTable, transitions

FEATURE = "action.latent"
_FORMAT = "2"
_SKIPPED = "skipped"
"""Note about episodes without latents; a file of all episodes has none."""


@dataclass(frozen=True)
class LatentsProvenance:
    """Dataset and world model that latent actions come from."""

    dataset: str
    """Content id of the dataset."""
    model: str
    """Digest of the world model, its normalizers included."""
    method: str
    """Name of the method, for people."""


def write_latents(
    path: Path,
    latents: NDArray[np.float32],
    episodes: EpisodeTable,
    provenance: LatentsProvenance,
    skipped: Sequence[int] = (),
) -> None:
    """Store one latent for each transition, in the order of `transitions(episodes)`. (M, d).

    Those of the episodes `skipped` are zeros, which only readers get that leave these episodes out, too.
    """
    indices = transitions(episodes)
    if latents.shape[0] != len(indices) or not np.isfinite(latents).all():
        raise GlamError(f"{path}: {latents.shape[0]} finite latents wanted for {len(indices)} transitions")
    episode = episodes.episode_of(indices)
    values = latents.astype(np.float32)
    columns = {
        "episode_index": pa.array(episode, pa.int64()),
        "frame_index": pa.array(indices - episodes.starts[episode], pa.int64()),
        FEATURE: pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), latents.shape[1]),
    }
    notes = {"format": _FORMAT, **to_json(provenance), "sha256": sha256(values.tobytes()).hexdigest()}
    notes |= {_SKIPPED: " ".join(map(str, skipped))} if skipped else {}
    with files.replacing(path) as temporary:
        pq.write_table(pa.table(columns).replace_schema_metadata(notes), temporary, write_page_checksum=True)


def read_latents(
    path: Path, episodes: EpisodeTable, provenance: LatentsProvenance, skipped: Sequence[int] = ()
) -> NDArray[np.float32]:
    """Latents in an array with one row per frame of the dataset; rows without a successor are zero. (N, d).

    Refuses a file that was made for another dataset, by another model, or without episodes that are not `skipped`.
    """
    try:
        with files.open_plain(path) as content, pq.ParquetFile(content, page_checksum_verification=True) as file:
            tables.require_modest(path, file, range(file.num_row_groups), file.schema_arrow.names)
            table = file.read()
        notes = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
        column = table[FEATURE].combine_chunks()
        latents = column.values.to_numpy().reshape(len(table), column.type.list_size)
    except (
        OSError,
        pa.ArrowException,
        KeyError,
        AttributeError,
        ValueError,
    ) as error:  # a damaged footer says anything
        reason = " ".join(str(error).split())
        raise GlamError(f"{path}: not a readable file of latents ({reason}); make it again with glam relabel") from None
    wanted = {"format": _FORMAT, "dataset": provenance.dataset, "model": provenance.model}
    for name, value in wanted.items():
        if notes.get(name) != value:
            raise GlamError(f"{path}: made for {name} {notes.get(name)}, not {value}; make it again with glam relabel")
    if notes.get("sha256") != sha256(latents.tobytes()).hexdigest():
        raise GlamError(f"{path}: damaged (its sha256 is not the recorded one); make it again with glam relabel")
    missing = set(map(int, notes.get(_SKIPPED, "").split())) - set(skipped)
    if missing:
        listed = ", ".join(map(str, sorted(missing)))
        raise GlamError(f"{path}: has no latents of episode {listed}; give the same --skip-episodes, or relabel again")
    indices = transitions(episodes)
    if len(indices) != len(latents):
        raise GlamError(f"{path}: {len(latents)} latents, {len(indices)} transitions; make it again with glam relabel")
    every = np.zeros((int(episodes.ends.max()), latents.shape[1]), np.float32)
    every[indices] = latents
    return every


Latents = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class LatentLabels:
    """Latent actions of a dataset and what they come from."""

    latents: Latents
    """(N, d), one row per frame as `read_latents` gives them."""
    provenance: LatentsProvenance
    normalizers: dict[str, Any]
    """Statistics with which the world model normalizes its inputs, as plain JSON."""


def write_relabelled_copy(dataset: Dataset, labels: LatentLabels, root: Path, progress: Progress = no_progress) -> None:
    """Write the relabelled copy into the new folder `root`; `progress` counts files."""
    known = read_info(dataset.root).features
    if FEATURE in known:
        raise GlamError(f"{dataset.root}: has {FEATURE} already; label the dataset that it was made from")
    names_of_entries = tuple(f"z{entry}" for entry in range(labels.latents.shape[1]))
    copy = VectorCopy(dataset, FEATURE, names_of_entries, _in_every_row(dataset, labels.latents))
    names, digests = copy.names(), {}
    for done, name in enumerate(names, start=1):
        content = copy.content(name) or files.contained(dataset.root, name).read_bytes()
        files.write_bytes(files.contained(root, name), content)
        digests[name] = sha256(content).hexdigest()
        progress(done, len(names))
    others = [key for key in known if key not in tables.features(dataset.schema)]
    notes = to_json(labels.provenance) | {"features": [FEATURE, *others], "normalizers": labels.normalizers}
    source = manifest_of(dataset)
    manifest.write(root, replace(source, description=source.description | {LATENTS: notes}, files=digests))


def _in_every_row(dataset: Dataset, latents: Latents) -> Latents:
    """Latents in which the last row of each episode repeats the one before it. (N, d)."""
    table = EpisodeTable.of_lengths([record.length for record in dataset.episodes])
    for short in np.flatnonzero(table.lengths < 2):
        raise GlamError(f"{dataset.root}: episode {short} has 1 frame and so no latent action; leave it out")
    values = latents.copy()
    values[table.ends - 1] = latents[table.ends - 2]
    return values
