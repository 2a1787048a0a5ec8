"""`glam relabel`: latent actions for every transition of a dataset, as a column beside the model or in a copy of it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from glam.core import files
from glam.core.errors import GlamError
from glam.core.workers import Progress, no_progress
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
) -> Path:
    """Label a dataset with a world model; returns the file, which is in the model's folder, not in the dataset."""
    trained, dataset = runs.load(world_model), Dataset.open(data)
    path = world_model / FOLDER / f"{dataset.content_id[:16]}.parquet"
    files.require_writable(path)
    frames = decoded(dataset, trained.interface.pixels, workers=workers)
    source = source_for(trained, str(data), frames)
    provenance = LatentsProvenance(frames.content_id, trained.digest, artefact.load(world_model).method)
    left_out = skipped.of(dataset)
    write_latents(path, label_all(trained, source, progress, left_out), frames.episodes, provenance, left_out)
    return path


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
