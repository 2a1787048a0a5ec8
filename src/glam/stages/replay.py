"""`glam replay`: held-out episodes of any source -> IDM -> action decoder -> open loop on the target robot."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core import seals
from glam.core.configs import from_json, to_json
from glam.core.errors import GlamError
from glam.core.files import contained, require_writable, sweep, write_bytes
from glam.core.simulated import check_task
from glam.core.workers import Progress, no_progress
from glam.data.cache import decoded
from glam.data.demonstrations import episodes_of, hold_out, lineage
from glam.data.reader import Dataset
from glam.data.schema import IMAGE_PREFIX
from glam.data.windows import EpisodeTable, labelled
from glam.evaluation.motion import PathErrors, path_errors
from glam.reports.films import encode_film, enlarged, tiled
from glam.sim.demonstrator import demonstrated_path
from glam.sim.embodiments import find_embodiment
from glam.sim.expert import Disturbance
from glam.sim.rollouts import ReplayedEpisode, replay_episode
from glam.sim.sensors import PERFECT_TRACKER
from glam.sim.tasks import find_task
from glam.sim.world import World
from glam.stages.train_world_model import WorldModelConfig
from glam.training import artefact, reproducibility
from glam.world_models import runs
from glam.world_models.batches import LabelledWindowSource
from glam.world_models.latent_decoder import LabelledTransitions, fit_decoder
from glam.world_models.runs import TrainedWorldModel, decode_actions, label_episode, source_for

RECORD = "replay.json"
COUNTS = ("episodes", "successes")
"""Entries of the summary that are counts; the others are medians."""
FILM_ENLARGEMENT = 2
"""Times that the pixels of a film are larger than those of the dataset, which are few."""


@dataclass(frozen=True)
class ReplayConfig:
    """Task, robot and number of episodes of a replay."""

    task: str
    embodiment: str = "kinova"
    """The embodiment that acts."""
    episodes: int = 20
    films: int = 3
    """Episodes of which a side-by-side film is kept."""

    def __post_init__(self) -> None:
        """Refuse a replay of no episode."""
        if self.episodes < 1:
            raise GlamError(f"--episodes {self.episodes}: at least 1 must be replayed")


@dataclass(frozen=True)
class ReplayOutcome:
    """Outcome of one replayed episode."""

    episode: int
    seed: int
    errors: PathErrors
    is_success: bool


@dataclass(frozen=True)
class _Decoder:
    """p(a | z), and its notes for the record."""

    actions: Callable[[NDArray[np.float32]], NDArray[np.float32]]
    notes: dict[str, Any]


def replay_dataset(
    config: ReplayConfig,
    world_model: Path,
    source: Path,
    out: Path,
    progress: Progress = no_progress,
    target: Path | None = None,
) -> Path:
    """Replay held-out episodes; writes one record per episode, a summary and films; returns `out`.

    For a world model without an action decoder, such as LAPA, one is fitted to the training episodes of its `target`.
    """
    trained = runs.load(world_model)
    require_writable(out / RECORD)
    sweep(out)
    seals.unseal(out)
    decoder = _decoder(trained, world_model, target)
    dataset = Dataset.open(source)
    check_task(f"{source}: shows", dataset.task, config.task)
    frames = decoded(dataset, trained.interface.pixels)
    windows = source_for(trained, str(source), frames)
    chosen = held_out_episodes(world_model, dataset)[: config.episodes]
    body = find_embodiment(config.embodiment).acting_as(trained.interface.action_names)
    world = World(find_task(config.task), body, dataset.schema.image_size)
    transfers, films, indices = [], list[str](), episodes_of(frames.episodes)
    for number, episode in enumerate(chosen):
        actions = decoder.actions(label_episode(trained, windows, indices[episode]))
        seed = _seed(dataset, episode)
        result = replay_episode(world, seed, actions)
        is_true = frames.schema.has_pose and not _has_wrong_poses(dataset)
        recorded = frames.ee_pose[indices[episode]] if is_true else _true_path(dataset, seed)
        length = min(len(recorded), len(result.poses))  # less if the simulation failed
        errors = path_errors(result.poses[:length], recorded[:length])
        transfers.append(ReplayOutcome(episode, seed, errors, result.is_success))
        if number < config.films:
            films.append(f"episode-{episode:06d}.mp4")
            views = [camera.name for camera in world.task.cameras]
            write_bytes(contained(out, films[-1]), _film(dataset, episode, result, views))
        progress(number + 1, len(chosen))
    record = _record(config, trained.digest, frames.content_id, transfers)
    seals.write(out, {RECORD: seals.json_bytes(record | _origin(dataset) | decoder.notes)}, also=films)
    return out


def held_out_episodes(world_model: Path, dataset: Dataset) -> list[int]:
    """Episodes that a world model was not trained on: those held out, or all of a dataset not used in training.

    A copy with masks or labels has the episodes of its source. A dataset that has grown since counts as a new one.
    """
    found = artefact.load(world_model)
    every = list(range(len(dataset.episodes)))
    known = [content_id for content_id in lineage(dataset) if content_id in found.inputs.values()]
    if not known:
        return every
    config = from_json(WorldModelConfig, found.config)
    table = EpisodeTable.of_lengths([record.length for record in dataset.episodes])
    held_out = hold_out(table, known[0], config.held_out, config.fit.seed).held_out
    return [episode for episode in every if table.starts[episode] in held_out.starts]


def _decoder(trained: TrainedWorldModel, world_model: Path, target: Path | None) -> _Decoder:
    if trained.model.action_decoder is not None:
        if target is not None:
            raise GlamError(f"--target {target}: {world_model} has an action decoder of its own; leave --target out")
        return _Decoder(partial(decode_actions, trained), {})
    if target is None:
        wanted = "give the target dataset of its training, so that one can be fitted"
        raise GlamError(f"--target: {world_model} learns no action decoder; {wanted}")
    source = _target_source(trained, world_model, target)
    known, held_out = (LabelledTransitions.of(trained, source, table) for table in source.split)
    fitted = fit_decoder(trained, known)
    notes = {"target": source.frames.content_id, "action_error": fitted.error(held_out)}
    return _Decoder(fitted.actions, {"fitted_decoder": notes})


def _target_source(trained: TrainedWorldModel, world_model: Path, target: Path) -> LabelledWindowSource:
    """The target of a training, with the same episodes held out."""
    found = artefact.load(world_model)
    config = from_json(WorldModelConfig, found.config)
    dataset = Dataset.open(target)
    if dataset.content_id != found.inputs.get("0"):
        raise GlamError(f"--target {target}: not the target dataset that {world_model} was trained on; give that one")
    windows = source_for(trained, str(target), decoded(dataset, trained.interface.pixels))
    frames = labelled(windows.frames, str(target))
    split = hold_out(frames.episodes, frames.content_id, config.held_out, config.fit.seed)
    return LabelledWindowSource(str(target), frames, split, trained.interface.observation)


def _seed(dataset: Dataset, episode: int) -> int:
    facts = dataset.episodes[episode].facts
    if "seed" not in facts:
        raise GlamError(f"{dataset.root}: episode {episode} has no seed, so its scene cannot be restored for a replay")
    return int(facts["seed"])


def _has_wrong_poses(dataset: Dataset) -> bool:
    """True for a simulated dataset whose tracker had errors, also if it was aligned since."""
    tracker = dataset.provenance.get("description", {}).get("config", {}).get("tracker")
    perfect = to_json(PERFECT_TRACKER)
    return tracker is not None and perfect | tracker != perfect


def _true_path(dataset: Dataset, seed: int) -> NDArray[np.float32]:
    """Poses that a simulated dataset did not record, or not well: its demonstration is made again."""
    try:
        config = dataset.provenance["description"]["config"]
        task, embodiment, disturbance = (config[name] for name in ("task", "embodiment", "disturbance"))
    except KeyError:
        raise GlamError(
            f"{dataset.root}: has no poses, and is no simulated dataset whose paths could be made again"
        ) from None
    return demonstrated_path(_world(task, embodiment), seed, from_json(Disturbance, disturbance))


@cache
def _world(task: str, embodiment: str) -> World:
    return World(find_task(task), find_embodiment(embodiment), (16, 16))


def _film(dataset: Dataset, episode: int, result: ReplayedEpisode, views: list[str]) -> bytes:
    """Source above, replay below, one column for each camera of the source; `views` are those of the replay."""
    cameras = [camera for camera in dataset.schema.cameras if camera in views]
    recorded = [dataset.images(episode, IMAGE_PREFIX + camera) for camera in cameras]
    length = min(len(recorded[0]), len(result.images))
    replayed = [result.images[:length, views.index(camera)] for camera in cameras]
    frames = tiled([[view[:length] for view in recorded], replayed])
    return encode_film(enlarged(frames, FILM_ENLARGEMENT), dataset.schema.fps).mp4


def _record(config: ReplayConfig, model: str, dataset: str, transfers: list[ReplayOutcome]) -> dict[str, Any]:
    return {
        "config": to_json(config),
        "world_model": model,
        "dataset": dataset,
        "episodes": to_json(transfers),
        "summary": dict(_summary(transfers)),
    }


def _origin(dataset: Dataset) -> dict[str, Any]:
    """Provenance of a record."""
    return {
        "source": dataset.root.resolve().name,
        "command": list(sys.argv),
        "versions": reproducibility.versions() | {"mujoco": version("mujoco")},
        "machine": reproducibility.description(),
    }


def _summary(transfers: list[ReplayOutcome]) -> Iterator[tuple[str, float]]:
    yield "episodes", float(len(transfers))
    yield "successes", float(sum(transfer.is_success for transfer in transfers))
    for name in ("aligned_mm", "path_mm", "degrees", "gripper"):
        yield f"median_{name}", float(np.median([getattr(transfer.errors, name) for transfer in transfers]))
