"""`glam relabel`: latent actions for every transition of a dataset, as a column beside the model or in a copy of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glam.core import files
from glam.core.errors import GlamError
from glam.core.workers import Pool, Progress, no_progress, pieces
from glam.data.cache import decoded
from glam.data.latents import LatentLabels, LatentsProvenance, read_latents, write_latents, write_relabelled_copy
from glam.data.reader import Dataset
from glam.data.skipping import SkipList
from glam.data.windows import EpisodeTable
from glam.training import artefact
from glam.world_models import runs
from glam.world_models.runs import label_all, source_for

FOLDER = "latents"


def relabel(
    world_model: Path,
    data: Path,
    *,
    workers: int = 2,
    progress: Progress = no_progress,
    skipped: SkipList = SkipList(),
    pool: Pool | None = None,
) -> Path:
    """Label a dataset with a world model; returns the file, which is in the model's folder, not in the dataset.

    With a pool, its machines decode and label.
    """
    trained, dataset = runs.load(world_model), Dataset.open(data)
    path = world_model / FOLDER / f"{dataset.content_id[:16]}.parquet"
    files.require_writable(path)
    frames = decoded(dataset, trained.interface.pixels, workers=workers, pool=pool)
    source = source_for(trained, str(data), frames)
    provenance = LatentsProvenance(frames.content_id, trained.digest, artefact.load(world_model).method)
    left_out = skipped.of(dataset)
    labels = (
        label_all(trained, source, progress, left_out)
        if pool is None
        else _labels_of(pool, _Piece(world_model, data, tuple(left_out)), len(dataset.episodes), progress)
    )
    write_latents(path, labels, frames.episodes, provenance, left_out)
    return path


_LEAST, _SHARES = 32, 8
"""Episodes that a machine of a pool labels at a time: so many, or an eighth of its share. First it reads the model."""


@dataclass(frozen=True)
class _Piece:
    """Work of a machine of a pool on some episodes, whose frames have been decoded by then."""

    world_model: Path
    data: Path
    left_out: tuple[int, ...]

    def __call__(self, episodes: range) -> tuple[int, NDArray[np.float32]]:
        """The first of the episodes, and the labels of all of them."""
        trained = runs.load(self.world_model)
        source = source_for(trained, str(self.data), decoded(Dataset.open(self.data), trained.interface.pixels))
        return episodes.start, label_all(trained, source, skipped=self.left_out, episodes=episodes)


def _labels_of(pool: Pool, piece: _Piece, count: int, progress: Progress) -> NDArray[np.float32]:
    found, length = {}, max(_LEAST, -(-count // (_SHARES * pool.workers)))
    for first, labels in pool.spread(piece, pieces(count, length)):
        found[first] = labels
        progress(min(count, len(found) * length), count)
    return np.concatenate([found[first] for first in sorted(found)])


def relabelled_folders(datasets: Sequence[Path], out: Path) -> tuple[Path, ...]:
    """Folders into which `write_as_lerobot` writes the relabelled copies; refuses what it could not write."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise GlamError(f"--as-lerobot {out}: is not an empty folder; choose a new one")
    for root in datasets:
        if out.resolve().is_relative_to(root.resolve()):
            raise GlamError(f"--as-lerobot {out}: lies inside the dataset {root}; choose a folder outside")
    names = [root.resolve().name for root in datasets]
    for name in names:
        if names.count(name) > 1:
            raise GlamError(f"--as-lerobot {out}: several datasets are called {name}; label them one by one")
    files.require_writable(out)
    return (out,) if len(names) == 1 else tuple(out / name for name in names)


def write_as_lerobot(
    world_model: Path, columns: Mapping[Path, Path], out: Path, progress: Progress = no_progress
) -> tuple[Path, ...]:
    """Copy datasets into `out`, with their labels as the feature `action.latent`; all at once or not at all.

    `columns` gives for each dataset the file that `relabel` made. One dataset becomes `out` itself, several become
    folders in it. Returns the folders.
    """
    places = relabelled_folders(list(columns), out)
    found = artefact.load(world_model)
    try:
        with files.replacing_folder(out.resolve()) as staging:
            for (data, column), place in zip(columns.items(), places, strict=True):
                dataset = Dataset.open(data)
                provenance = LatentsProvenance(dataset.content_id, found.digest, found.method)
                episodes = EpisodeTable.of_lengths([record.length for record in dataset.episodes])
                labels = LatentLabels(
                    read_latents(column, episodes, provenance), provenance, found.document("normalizer")
                )
                write_relabelled_copy(dataset, labels, staging / place.relative_to(out), progress)
    except OSError as error:
        raise GlamError(f"--as-lerobot {out}: cannot be written ({error.strerror}); choose another folder") from None
    return places
