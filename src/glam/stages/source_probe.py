"""Whether latent actions betray the source they come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from glam.core.errors import GlamError
from glam.data.cache import decoded
from glam.data.reader import Dataset
from glam.data.windows import transitions
from glam.world_models import registry
from glam.world_models.labelling import label_all, source_for
from glam.world_models.probes import source_accuracy


@dataclass(frozen=True)
class SourceAccuracy:
    """Balanced accuracy of a classifier of the source; chance is one part in as many as there are sources."""

    latents: float
    """Given the latent action of a transition."""
    poses: float
    """Given the end-effector pose, as a measure of what there is to betray."""


def probe_sources(world_model: Path, datasets: Sequence[Path]) -> SourceAccuracy:
    """Classify the transitions of datasets that show the same scenes in the same order.

    Then what a classifier learns on one half of the scenes and proves on the other is the source and not the scene.
    """
    if len(datasets) < 2:
        raise GlamError("a source probe needs datasets of at least two sources")
    trained = registry.load(world_model)
    opened = [Dataset.open(root) for root in datasets]
    scenes = [[record.facts.get("seed", "unknown") for record in dataset.episodes] for dataset in opened]
    for dataset, shown in zip(opened, scenes, strict=True):
        if shown != scenes[0] or "unknown" in shown:
            raise GlamError(f"{dataset.root}: does not show the same scenes as {opened[0].root}")
    frames = [decoded(dataset, trained.interface.pixels) for dataset in opened]
    sources = [source_for(trained, str(root), part) for root, part in zip(datasets, frames, strict=True)]
    poses = [trained.scales.pose.normalise(part.ee_pose[transitions(part.episodes)]) for part in frames]
    return SourceAccuracy(
        latents=source_accuracy([torch.from_numpy(label_all(trained, source)) for source in sources]),
        poses=source_accuracy([torch.from_numpy(values) for values in poses]),
    )
