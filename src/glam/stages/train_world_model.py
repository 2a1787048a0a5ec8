"""`glam train-world-model`: stage 1, from one labelled target set and any number of auxiliary ones."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from glam.core.errors import GlamError
from glam.core.progress import Progress, no_progress
from glam.data.cache import decoded
from glam.data.frames import labelled
from glam.data.normalizer import Normalizer
from glam.data.reader import Dataset
from glam.data.sharing import restricted
from glam.data.splits import hold_out
from glam.training import artefact, run_folder
from glam.training.batches import on_device
from glam.training.config import FitConfig
from glam.training.fit import fit
from glam.training.machine import require_device
from glam.training.parallel import joined
from glam.training.probes import gradient_norms
from glam.training.recorder import Hooks, TrainingProgress, no_training_progress
from glam.training.seeding import context_at, seed_initialisation
from glam.training.sinks import opener
from glam.world_models import registry
from glam.world_models.probes import probe
from glam.world_models.sources import (
    BatchConfig,
    MixedBatches,
    Source,
    TargetSource,
    require_alike,
    require_target,
    shared_features,
    sizes_of,
)


@dataclass(frozen=True)
class WorldModelConfig:
    """Everything that shapes a world model."""

    method: str
    """Name of the recipe, such as `glam-o`."""
    model: registry.ModelConfig
    pixels: int = 32
    """Height and width to which images are shrunk."""
    latent_per_arm: int = 8
    """Latent action entries for each arm: d = 8, and 16 with two arms."""
    held_out: float = 0.1
    """Share of each source's episodes that is kept for the probes."""
    batch: BatchConfig = BatchConfig()
    fit: FitConfig = FitConfig()


@dataclass(frozen=True)
class Callbacks:
    """Who looks on: decoding, training, and loggers beside the metrics file."""

    decoding: Progress = no_progress
    training: Callable[[TrainingProgress], None] = no_training_progress
    loggers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sources:
    """The datasets of a training, decoded."""

    target: TargetSource
    auxiliary: tuple[Source, ...]

    @property
    def every(self) -> tuple[Source, ...]:
        """Target first."""
        return (self.target, *self.auxiliary)


def train_world_model(
    config: WorldModelConfig, target: Path, auxiliary: Sequence[Path], out: Path, callbacks: Callbacks = Callbacks()
) -> Path:
    """Train in `out`, going on where an earlier run of the same command stopped; returns `out`."""
    require_device(config.fit.device)
    sinks = tuple(opener(name, out, config) for name in callbacks.loggers)
    sources = open_sources(config, target, auxiliary, callbacks.decoding)
    normalizer = Normalizer.fit(sources.target, sources.auxiliary)
    sizes = sizes_of(sources.target, config.latent_per_arm * len(sources.target.frames.schema.arms))
    batches = MixedBatches(
        sources.target, sources.auxiliary, normalizer, config.batch, config.fit.seed, config.model.idm_rotation_noise
    )
    # All that the input may be refused for has happened by now: what is refused leaves no folder behind.
    inputs = {str(number): source.frames.content_id for number, source in enumerate(sources.every)}
    description = run_folder.Description(registry.KIND, config, config.fit.seed, inputs, tuple(sys.argv))
    with joined(config.fit.device) as processes, run_folder.opened(out, description, processes):
        if artefact.is_finished(out):
            return artefact.load(out).root
        seed_initialisation(config.fit.seed)
        model = registry.build(config.model, sizes)

        def validate(step: int) -> dict[str, float]:
            context = context_at(config.fit, step, "probes")
            norms = gradient_norms(model, on_device(batches(step), processes.device(config.fit.device)), context)
            pulls = {f"gradient/{term}": norms[f"term.{term}"] for term in model.weights}
            return probe(model, sources.target, sources.auxiliary, normalizer) | pulls

        hooks = Hooks(validate=validate, progress=callbacks.training, sinks=sinks)
        weights = fit(model, batches, config.fit, out, hooks, processes)
        if processes.is_first:
            artefact.finish(out, weights, registry.documents(normalizer, _interface(config, sources.target), sizes))
    return out


def open_sources(
    config: WorldModelConfig, target: Path, auxiliary: Sequence[Path], progress: Progress = no_progress
) -> Sources:
    """Decode all datasets and make sure that they fit together."""
    if not auxiliary:
        raise GlamError("--aux: give at least one auxiliary dataset; without one there is nothing to align")
    states = config.model.states
    datasets = [Dataset.open(root) for root in (target, *auxiliary)]
    require_target(datasets[0], states)
    for dataset in datasets:
        if len(dataset.episodes) < 2:
            count = len(dataset.episodes)
            raise GlamError(f"{dataset.root}: number of episodes is {count}; at least 2 are needed, to hold one out")
        require_alike(datasets[0], dataset, states)
    common = shared_features(datasets)
    whole = [decoded(dataset, config.pixels, workers=config.fit.threads, progress=progress) for dataset in datasets]
    frames = [restricted(part, common) for part in whole]
    splits = [hold_out(part.episodes, part.content_id, config.held_out, config.fit.seed) for part in frames]
    names = [str(dataset.root) for dataset in datasets]
    target_source = TargetSource(names[0], labelled(frames[0], names[0]), splits[0], states.observation)
    others = [Source(*parts, states.observation) for parts in zip(names[1:], frames[1:], splits[1:], strict=True)]
    return Sources(target_source, tuple(others))


def _interface(config: WorldModelConfig, target: Source) -> registry.Interface:
    schema = target.frames.schema
    observation = config.model.states.observation
    return registry.Interface(schema.fps, schema.cameras, schema.objects, schema.arms, config.pixels, observation)
