"""`glam relabel`: latent actions for every transition of a dataset, as a column with provenance."""

from pathlib import Path

from glam.core.progress import Progress, unseen
from glam.data.cache import decoded
from glam.data.latents import Provenance, write_latents
from glam.data.reader import Dataset
from glam.training import artefact
from glam.world_models import registry
from glam.world_models.labelling import label_all, source_for

FOLDER = "latents"


def relabel(world_model: Path, data: Path, *, workers: int = 2, progress: Progress = unseen) -> Path:
    """Label a dataset with a world model; returns the file, which lies beside the model and never in the dataset."""
    trained = registry.load(world_model)
    frames = decoded(Dataset.open(data), trained.interface.pixels, workers=workers)
    source = source_for(trained, str(data), frames)
    path = world_model / FOLDER / f"{frames.content_id[:16]}.parquet"
    provenance = Provenance(frames.content_id, trained.digest, artefact.load(world_model).config["method"])
    write_latents(path, label_all(trained, source, progress), frames.episodes, provenance)
    return path
