"""`glam inspect`: what a trained world model is worth, in sentences and as a page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path

import numpy as np
import torch

from glam.core.configs import from_json
from glam.core.errors import GlamError
from glam.core.progress import Progress, no_progress
from glam.reports.world_model_page import Sight, SourceView, Subject, write_world_model_page
from glam.stages.lineage import datasets_of
from glam.stages.train_world_model import WorldModelConfig, open_sources
from glam.training import artefact, metrics
from glam.training.artefact import Artefact
from glam.training.recorder import METRICS
from glam.world_models import registry
from glam.world_models.glam import GlamConfig
from glam.world_models.lapa import LapaConfig
from glam.world_models.probes import Seen, look
from glam.world_models.registry import TrainedWorldModel
from glam.world_models.sources import Source
from glam.world_models.verdicts import Line, Verdict, Yardsticks, judge, last_probes

PAGE = "inspect.html"
EPISODES_SHOWN = 2
SIGHTS_OF_AN_EPISODE = 4


@dataclass(frozen=True)
class Examination:
    """Everything that can be said and shown of a trained world model."""

    subject: Subject
    verdicts: tuple[Verdict, ...]
    lines: tuple[Line, ...]
    views: tuple[SourceView, ...]


@dataclass(frozen=True)
class Inspection:
    """What was found out, and the page that shows it."""

    verdicts: tuple[Verdict, ...]
    page: Path


def inspect_world_model(run: Path, datasets: Sequence[Path] = (), progress: Progress = no_progress) -> Inspection:
    """Judge a finished training and write a page into its folder.

    The page shows images and the latent space if the datasets of the training are given, its target first, or lie
    where they lay then.
    """
    seen = examine(run, datasets or datasets_of(run, artefact.load(run).record), progress)
    write_world_model_page(run / PAGE, seen.subject, seen.verdicts, seen.lines, seen.views)
    return Inspection(seen.verdicts, run / PAGE)


def examine(run: Path, datasets: Sequence[Path] = (), progress: Progress = no_progress) -> Examination:
    """Judge a finished training by its log, and look at the held-out episodes of `datasets`, if given, through it."""
    trained, found = registry.load(run), artefact.load(run)
    config = from_json(WorldModelConfig, found.config)
    lines = metrics.read(run / METRICS)
    if not last_probes(lines):
        raise GlamError(f"{run / METRICS}: has no line of probes (split validation); train the world model again")
    views = _views(trained, found, config, datasets, progress) if datasets else []
    verdicts = judge(lines, _yardsticks(config, trained, len(found.record["inputs"])))
    return Examination(_subject(run, found, trained, lines), tuple(verdicts), tuple(lines), tuple(views))


def _yardsticks(config: WorldModelConfig, trained: TrainedWorldModel, sources: int) -> Yardsticks:
    model = config.model
    is_aligned = isinstance(model, GlamConfig) and model.alignment_weight > 0
    return Yardsticks(
        sources=sources,
        latent=trained.sizes.latent,
        is_aligned=is_aligned,
        is_encoder_aligned=isinstance(model, GlamConfig) and is_aligned and model.alignment_reaches_encoder,
        width_floor=exp(0.5 * model.parts.log_variance[0]),
        grad_clip=config.fit.grad_clip,
        codes=model.codes if isinstance(model, LapaConfig) else 0,
    )


def _subject(run: Path, found: Artefact, trained: TrainedWorldModel, lines: Sequence[Line]) -> Subject:
    interface, method = trained.interface, found.config["method"]
    weights = sum(parameter.numel() for parameter in trained.model.parameters())
    rows = {
        "Method": method,
        "Steps": f"{lines[-1]['step']}, in {lines[-1]['seconds'] / 60:.1f} minutes",
        "Seed": found.record["seed"],
        "Sources": f"{len(found.record['inputs'])} (one target)",
        "Sees": f"{interface.observation} of {interface.pixels} x {interface.pixels} pixels, {interface.fps} a second",
        "Latent action": f"{trained.sizes.latent} entries",
        "Weights": f"{weights / 1e6:.2f} million",
        "Command": " ".join(("glam", *found.record["command"][1:])),
    }
    objects = interface.objects if interface.observation == "masks" else ()
    return Subject(f"{run.resolve().name}: {method}", rows, interface.cameras, objects)


def _views(
    trained: TrainedWorldModel,
    found: Artefact,
    config: WorldModelConfig,
    datasets: Sequence[Path],
    progress: Progress,
) -> list[SourceView]:
    sources = open_sources(config, datasets[0], datasets[1:], progress).every
    _require_the_same(sources, found)
    return [_view(trained, source) for source in sources]


def _require_the_same(sources: Sequence[Source], found: Artefact) -> None:
    """Of other datasets nobody could tell which episodes were held out."""
    inputs = found.record["inputs"]
    if len(sources) != len(inputs):
        raise GlamError(f"{found.root}: was trained on {len(inputs)} datasets, but {len(sources)} are given")
    for number, source in enumerate(sources):
        if source.frames.content_id != inputs[str(number)]:
            raise GlamError(
                f"{source.name}: not the dataset that {found.root} was trained on as "
                f"{'--target' if number == 0 else f'--aux number {number}'}; give those of the training, in its order"
            )


@torch.no_grad()
def _view(trained: TrainedWorldModel, source: Source) -> SourceView:
    held_out = source.split.held_out
    episodes = list(look(trained.model, source, held_out, trained.normalizer))
    latents = tuple(seen.latent[0].numpy() for seen in episodes)
    sights: list[Sight] = []
    if trained.model.states.config.has_image:
        numbers = source.frames.episodes.episode_of(held_out.starts)
        for number, seen in zip(numbers[:EPISODES_SHOWN], episodes, strict=False):
            sights += _sights(trained, int(number), seen)
    return SourceView(Path(source.name).name, latents, tuple(sights))


def _sights(trained: TrainedWorldModel, episode: int, seen: Seen) -> Iterator[Sight]:
    """The transition with the largest change in each part of an episode: elsewhere a copy looks like a prediction."""
    images, states = seen.windows.image[0], trained.model.states
    change = (images[1:] - images[:-1]).abs().sum((1, 2, 3)).numpy()
    for part in np.array_split(np.arange(len(change)), SIGHTS_OF_AN_EPISODE):
        frame = int(part[change[part].argmax()])
        decoded = states.image(seen.states.feature[0, frame : frame + 1])[0]
        predicted = states.image(seen.predicted.feature[0, frame : frame + 1])[0]
        parts = (images[frame], decoded, images[frame + 1], predicted)
        yield Sight(f"episode {episode}, frame {frame}", *(part.numpy() for part in parts))
