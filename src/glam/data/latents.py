"""Latent actions of a dataset: a column of its own, bound to the dataset and to the model that made it.

Row t of an episode is the latent action that takes frame t to frame t + 1, so an episode of T frames has T - 1 rows
(index law). The file never touches the dataset it belongs to.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from glam.core import files
from glam.core.errors import GlamError
from glam.data.windows import EpisodeTable, transitions

FEATURE = "action.latent"
_FORMAT = "1"


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
    path: Path, latents: NDArray[np.float32], episodes: EpisodeTable, provenance: LatentsProvenance
) -> None:
    """Store one latent for each transition, in the order of `transitions(episodes)`. (M, d)."""
    rows = transitions(episodes)
    if latents.shape[0] != len(rows) or not np.isfinite(latents).all():
        raise GlamError(f"{path}: {latents.shape[0]} finite latents wanted for {len(rows)} transitions")
    episode = episodes.episode_of(rows)
    flat = pa.array(latents.astype(np.float32).reshape(-1))
    columns = {
        "episode_index": pa.array(episode, pa.int64()),
        "frame_index": pa.array(rows - episodes.starts[episode], pa.int64()),
        FEATURE: pa.FixedSizeListArray.from_arrays(flat, latents.shape[1]),
    }
    notes = {"format": _FORMAT, "dataset": provenance.dataset, "model": provenance.model, "method": provenance.method}
    with files.replacing(path) as temporary:
        pq.write_table(pa.table(columns).replace_schema_metadata(notes), temporary, write_page_checksum=True)


def read_latents(path: Path, episodes: EpisodeTable, provenance: LatentsProvenance) -> NDArray[np.float32]:
    """Latents in an array with one row per frame of the dataset; rows without a successor are zero. (N, d).

    Refuses a file that was made for another dataset or by another model.
    """
    try:
        table = pq.read_table(path, page_checksum_verification=True)
    except (OSError, pa.ArrowException) as error:
        raise GlamError(f"{path}: not a readable file of latents ({error}); make it again with glam relabel") from None
    notes = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    wanted = {"format": _FORMAT, "dataset": provenance.dataset, "model": provenance.model}
    for name, value in wanted.items():
        if notes.get(name) != value:
            raise GlamError(f"{path}: made for {name} {notes.get(name)}, not {value}; make it again with glam relabel")
    column = table[FEATURE].combine_chunks()
    latents = column.values.to_numpy().reshape(len(table), column.type.list_size)
    rows = transitions(episodes)
    if len(rows) != len(latents):
        raise GlamError(f"{path}: {len(latents)} latents for {len(rows)} transitions; make it again with glam relabel")
    every = np.zeros((int(episodes.ends.max()), latents.shape[1]), np.float32)
    every[rows] = latents
    return every
