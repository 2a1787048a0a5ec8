"""`glam inspect`: the quality of a trained world model, as verdicts and as a page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from glam.core.configs import from_json
from glam.core.errors import GlamError
from glam.core.files import require_writable
from glam.core.workers import Progress, no_progress
from glam.data.skipping import datasets_in, recorded_skips
from glam.reports.world_model_page import SourceView, Subject, TransitionImages, write_world_model_page
from glam.stages.lineage import datasets_of
from glam.stages.train_world_model import WorldModelConfig, open_sources
from glam.training import artefact, metrics
from glam.training.artefact import Artefact
from glam.training.recorder import METRICS
from glam.world_models import runs
from glam.world_models.batches import WindowSource
from glam.world_models.method import EncodedEpisode
from glam.world_models.probes import encoded_episodes
from glam.world_models.runs import TrainedWorldModel
from glam.world_models.verdicts import MEANINGS, Line, TrainingFacts, Verdict, judge, last_probes

PAGE = "inspect.html"
EPISODES_SHOWN = 2
TRANSITIONS_PER_EPISODE = 4


@dataclass(frozen=True)
class Examination:
    """Verdicts on a trained world model, and all that its page shows."""

    subject: Subject
    verdicts: tuple[Verdict, ...]
    lines: tuple[Line, ...]
    views: tuple[SourceView, ...]


@dataclass(frozen=True)
class Inspection:
    """Verdicts, and the page that shows them."""

    verdicts: tuple[Verdict, ...]
    page: Path


def inspect_world_model(run: Path, datasets: Sequence[Path] = (), progress: Progress = no_progress) -> Inspection:
    """Judge a finished training and write a page into its folder.

    The page shows images and the latent space if the datasets of the training are given, its target first, or are
    found where they were in training.
    """
    require_writable(run / PAGE)
    found = examine(run, datasets or datasets_of(run, artefact.load(run).record), progress)
    write_world_model_page(run / PAGE, found.subject, found.verdicts, found.lines, found.views)
    return Inspection(found.verdicts, run / PAGE)


def examine(run: Path, datasets: Sequence[Path] = (), progress: Progress = no_progress) -> Examination:
    """Judge a finished training by its log; with `datasets`, also run the model on their held-out episodes."""
    trained, found = runs.load(run), artefact.load(run)
    config = from_json(WorldModelConfig, found.config)
    lines = metrics.read(run / METRICS)
    if not last_probes(lines):
        raise GlamError(f"{run / METRICS}: has no line of probes (split validation); train the world model again")
    views = _views(trained, found, config, datasets, progress) if datasets else []
    facts = TrainingFacts(len(datasets_in(found.inputs)), trained.sizes.latent, config.fit.grad_clip)
    verdicts = judge(lines, facts, config.model)
    return Examination(_subject(run, found, trained, lines), tuple(verdicts), tuple(lines), tuple(views))


def _subject(run: Path, found: Artefact, trained: TrainedWorldModel, lines: Sequence[Line]) -> Subject:
    interface, method = trained.interface, found.method
    weights = sum(parameter.numel() for parameter in trained.model.parameters())
    rows = {
        "Method": method,
        "Steps": f"{lines[-1]['step']}, in {lines[-1]['seconds'] / 60:.1f} minutes",
        "Seed": found.record["seed"],
        "Sources": f"{len(datasets_in(found.inputs))} (one target)",
        "Learns from": "all sources" if trained.model.config.learns_from_auxiliary else "the target alone",
        "Observations": f"{interface.observation}, {interface.pixels} x {interface.pixels} pixels, {interface.fps} fps",
        "Latent action": f"{trained.sizes.latent} entries",
        "Weights": f"{weights / 1e6:.2f} million",
        "Command": " ".join(("glam", *found.record["command"][1:])),
    }
    objects = interface.objects if interface.observation == "masks" else ()
    meanings = {**MEANINGS, **trained.model.config.meanings}
    return Subject(f"{run.resolve().name}: {method}", rows, interface.cameras, objects, meanings)


def _views(
    trained: TrainedWorldModel,
    found: Artefact,
    config: WorldModelConfig,
    datasets: Sequence[Path],
    progress: Progress,
) -> list[SourceView]:
    sources = open_sources(config, datasets[0], datasets[1:], progress, recorded_skips(found.inputs)).every
    _require_the_same(sources, found)
    return [_view(trained, source) for source in sources]


def _require_the_same(sources: Sequence[WindowSource], found: Artefact) -> None:
    """Refuse other datasets than those of the training: their held-out episodes are unknown."""
    inputs = datasets_in(found.inputs)
    if len(sources) != len(inputs):
        raise GlamError(f"{found.root}: was trained on {len(inputs)} datasets, but {len(sources)} are given")
    for number, source in enumerate(sources):
        if source.frames.content_id != inputs.get(str(number)):
            raise GlamError(
                f"{source.name}: not the dataset that {found.root} was trained on as "
                f"{'--target' if number == 0 else f'--aux number {number}'}; give those of the training, in its order"
            )


@torch.no_grad()
def _view(trained: TrainedWorldModel, source: WindowSource) -> SourceView:
    held_out = source.split.held_out
    episodes = list(encoded_episodes(trained.model, source, held_out, trained.normalizer))
    latents = tuple(episode.latent[0].numpy() for episode in episodes)
    transitions: list[TransitionImages] = []
    if trained.model.states.config.has_image:
        numbers = source.frames.episodes.episode_of(held_out.starts)
        for number, episode in zip(numbers[:EPISODES_SHOWN], episodes, strict=False):
            transitions += _transitions(trained, int(number), episode)
    return SourceView(Path(source.name).name, latents, tuple(transitions))


def _transitions(trained: TrainedWorldModel, number: int, episode: EncodedEpisode) -> Iterator[TransitionImages]:
    """The transition with the largest change in each part of an episode: elsewhere a copy looks like a prediction."""
    images, states = episode.windows.image[0], trained.model.states
    change = (images[1:] - images[:-1]).abs().sum((1, 2, 3)).numpy()
    for part in np.array_split(np.arange(len(change)), min(TRANSITIONS_PER_EPISODE, len(change))):
        frame = int(part[change[part].argmax()])
        decoded = states.image(episode.states.feature[0, frame : frame + 1])[0]
        predicted = states.image(episode.predicted.feature[0, frame : frame + 1])[0]
        parts = (images[frame], decoded, images[frame + 1], predicted)
        yield TransitionImages(f"episode {number}, frame {frame}", *(part.numpy() for part in parts))
