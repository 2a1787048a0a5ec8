"""`glam train-world-model`: stage 1, from one labelled target set and any number of auxiliary ones."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from glam.core.errors import GlamError
from glam.core.files import require_writable
from glam.core.workers import Progress, no_progress
from glam.data.demonstrations import Reading, require_alike, require_hands, require_target, shared_features
from glam.data.normalizer import Normalizer
from glam.data.reader import Dataset
from glam.data.skipping import SkipList, without
from glam.data.windows import labelled
from glam.training import artefact
from glam.training.batches import joined, on_device
from glam.training.fit import fit
from glam.training.learner import FitConfig
from glam.training.metrics import opener
from glam.training.optimisation import gradient_norms
from glam.training.recorder import Hooks, TrainingProgress, no_training_progress
from glam.training.reproducibility import context_at, require_device, seed_initialisation
from glam.world_models import WORLD_MODELS, runs
from glam.world_models.batches import (
    LabelledWindowSource,
    MixedBatches,
    WindowBatchConfig,
    WindowSource,
    sizes_of,
)
from glam.world_models.method import MethodConfig
from glam.world_models.probes import probe


@dataclass(frozen=True)
class WorldModelConfig:
    """Everything that shapes a world model."""

    method: str
    """Name of the recipe, such as `glam-o`."""
    model: Annotated[MethodConfig, WORLD_MODELS]
    pixels: int = 32
    """Height and width to which images are shrunk."""
    latent_per_arm: int = 8
    """Latent action entries for each arm: d = 8, and 16 with two arms."""
    held_out: float = 0.1
    """Fraction of each source's episodes that is held out for the probes."""
    batch: WindowBatchConfig = WindowBatchConfig()
    fit: FitConfig = FitConfig()


@dataclass(frozen=True)
class Callbacks:
    """Progress of decoding and of training, and loggers besides the metrics file."""

    decoding: Progress = no_progress
    training: Callable[[TrainingProgress], None] = no_training_progress
    loggers: tuple[str, ...] = ()


@dataclass(frozen=True)
class TrainingSources:
    """The datasets of a training, decoded."""

    target: LabelledWindowSource
    auxiliary: tuple[WindowSource, ...]

    @property
    def every(self) -> tuple[WindowSource, ...]:
        """All datasets, the target first."""
        return (self.target, *self.auxiliary)


def train_world_model(
    config: WorldModelConfig,
    target: Path,
    auxiliary: Sequence[Path],
    out: Path,
    callbacks: Callbacks = Callbacks(),
    skipped: SkipList = SkipList(),
) -> Path:
    """Train in `out`, or continue an earlier run of the same command there; returns `out`."""
    require_device(config.fit.device)
    sinks = tuple(opener(name, out, config) for name in callbacks.loggers)
    require_writable(out / artefact.CONFIG)
    artefact.require_same_config(out, runs.KIND, config)
    sources = open_sources(config, target, auxiliary, callbacks.decoding, skipped)
    normalizer = Normalizer.fit(sources.target, sources.auxiliary)
    sizes = sizes_of(sources.target, normalizer, config.latent_per_arm * len(sources.target.frames.schema.arms))
    batches = MixedBatches(
        sources.target, sources.auxiliary, normalizer, config.batch, config.fit.seed, config.model.training_view
    )
    # All checks of the input come before this line: refused input leaves no folder behind.
    inputs = {str(number): source.frames.content_id for number, source in enumerate(sources.every)}
    inputs |= skipped.inputs([Dataset.open(root) for root in (target, *auxiliary)])
    description = artefact.RunDescription(runs.KIND, config, config.fit.seed, inputs, tuple(sys.argv))
    with joined(config.fit.device) as processes, artefact.opened(out, description, processes):
        if artefact.is_finished(out):
            return artefact.load(out).root
        seed_initialisation(config.fit.seed)
        model = config.model.build(sizes)

        def validate(_: int) -> dict[str, float]:
            return probe(model, sources.target, sources.auxiliary, normalizer)

        def diagnose(step: int) -> dict[str, float]:
            context = context_at(config.fit, step, "probes")
            norms = gradient_norms(model, on_device(batches(step), processes.device(config.fit.device)), context)
            return {f"gradient.{name}": norm for name, norm in norms.items()}

        hooks = Hooks(validate, diagnose, callbacks.training, sinks)
        weights = fit(model, batches, config.fit, out, hooks, processes)
        if processes.is_first:
            artefact.finish(out, weights, runs.documents(normalizer, _interface(config, sources.target), sizes))
    return out


def open_sources(
    config: WorldModelConfig,
    target: Path,
    auxiliary: Sequence[Path],
    progress: Progress = no_progress,
    skipped: SkipList = SkipList(),
) -> TrainingSources:
    """Decode all datasets, after a check that they can be used together."""
    if not auxiliary:
        raise GlamError("--aux: give at least one auxiliary dataset; without one there is nothing to align")
    states = config.model.states
    needs_masks = states.observation == "masks"
    datasets = [Dataset.open(root) for root in (target, *auxiliary)]
    require_target(datasets[0], needs_masks=needs_masks)
    for dataset in datasets:
        if len(dataset.episodes) < 2:
            count = len(dataset.episodes)
            raise GlamError(f"{dataset.root}: number of episodes is {count}; at least 2 are needed, to hold one out")
        require_alike(datasets[0], dataset, needs_pose=states.has_pose, needs_masks=needs_masks)
    common = shared_features(datasets)
    reading = Reading(config.pixels, config.held_out, config.fit.seed, config.fit.threads)
    first, *others = [without(reading.open(dataset, common, progress), skipped.of(dataset)) for dataset in datasets]
    for source in (first, *others) if states.has_pose else ():
        require_hands(source)
    frames = labelled(first.frames, first.name)
    return TrainingSources(
        LabelledWindowSource(first.name, frames, first.split, states.observation),
        tuple(WindowSource(other.name, other.frames, other.split, states.observation) for other in others),
    )


def _interface(config: WorldModelConfig, target: WindowSource) -> runs.WorldModelInterface:
    schema = target.frames.schema
    observation = config.model.states.observation
    names = schema.cameras, schema.objects, schema.arms
    known = schema.action_names, schema.track_cameras
    return runs.WorldModelInterface(schema.fps, *names, config.pixels, observation, *known)
