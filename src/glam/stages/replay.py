"""`glam replay`: unseen episodes of any source -> IDM -> action decoder -> open loop on the target robot."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core.configs import from_json, to_json
from glam.core.errors import GlamError
from glam.core.files import write_bytes, write_json
from glam.core.progress import Progress, unseen
from glam.data.cache import decoded
from glam.data.reader import Dataset
from glam.data.splits import hold_out
from glam.data.windows import EpisodeTable
from glam.evaluation.paths import PathErrors, path_errors
from glam.reports.films import encode_film, tiled
from glam.sim.embodiments import find_embodiment
from glam.sim.replay import Replay, replay
from glam.sim.tasks import find_task
from glam.sim.world import World
from glam.stages.train_world_model import WorldModelConfig
from glam.training import artefact
from glam.world_models import registry
from glam.world_models.labelling import decode_actions, label_episode, source_for
from glam.world_models.sources import episodes_of


@dataclass(frozen=True)
class ReplayConfig:
    """What is replayed, and how much of it."""

    task: str
    robot: str = "kinova"
    """The embodiment that acts."""
    episodes: int = 20
    films: int = 3
    """Episodes of which a side-by-side film is kept."""


@dataclass(frozen=True)
class Transfer:
    """Outcome of one replayed episode."""

    episode: int
    seed: int
    errors: PathErrors
    is_success: bool


def replay_dataset(
    config: ReplayConfig, world_model: Path, source: Path, out: Path, progress: Progress = unseen
) -> Path:
    """Replay unseen episodes; writes one record per episode, a summary and films; returns `out`."""
    trained = registry.load(world_model)
    dataset = Dataset.open(source)
    frames = decoded(dataset, trained.interface.pixels)
    seen = source_for(trained, str(source), frames)
    chosen = unseen_episodes(world_model, dataset, frames.content_id)[: config.episodes]
    world = World(find_task(config.task), find_embodiment(config.robot), dataset.schema.image_size)
    transfers, rows = [], episodes_of(frames.episodes)
    for number, episode in enumerate(chosen):
        actions = decode_actions(trained, label_episode(trained, seen, rows[episode]))
        seed = _seed(dataset, episode)
        result = replay(world, seed, actions)
        errors = path_errors(result.poses, frames.ee_pose[rows[episode]])
        transfers.append(Transfer(episode, seed, errors, result.is_success))
        if number < config.films:
            write_bytes(out / f"episode-{episode:06d}.mp4", _film(dataset, episode, result))
        progress(number + 1, len(chosen))
    write_json(out / "replay.json", _record(config, trained.digest, frames.content_id, transfers))
    return out


def unseen_episodes(world_model: Path, dataset: Dataset, content_id: str) -> list[int]:
    """Episodes that a world model was not trained on: those it held out, or all of a dataset that it never saw."""
    found = artefact.load(world_model)
    every = list(range(len(dataset.episodes)))
    if content_id not in found.record["inputs"].values():
        return every
    config = from_json(WorldModelConfig, found.config)
    table = EpisodeTable.of_lengths([record.length for record in dataset.episodes])
    held_out = hold_out(table, content_id, config.held_out, config.fit.seed).held_out
    return [episode for episode in every if table.starts[episode] in held_out.starts]


def _seed(dataset: Dataset, episode: int) -> int:
    facts = dataset.episodes[episode].facts
    if "seed" not in facts:
        raise GlamError(f"{dataset.root}: episode {episode} has no seed, so its scene cannot be rebuilt for a replay")
    return int(facts["seed"])


def _film(dataset: Dataset, episode: int, result: Replay) -> bytes:
    """Source above, replay below, one column per camera."""
    recorded = [dataset.images(episode, key) for key in dataset.schema.image_keys]
    length = min(len(recorded[0]), len(result.images))
    replayed: list[NDArray[np.uint8]] = list(result.images[:length].swapaxes(0, 1))
    return encode_film(tiled([[view[:length] for view in recorded], replayed]), dataset.schema.fps).mp4


def _record(config: ReplayConfig, model: str, dataset: str, transfers: list[Transfer]) -> dict[str, Any]:
    return {
        "config": to_json(config),
        "world_model": model,
        "dataset": dataset,
        "episodes": to_json(transfers),
        "summary": dict(_summary(transfers)),
    }


def _summary(transfers: list[Transfer]) -> Iterator[tuple[str, float]]:
    yield "episodes", float(len(transfers))
    yield "successes", float(sum(transfer.is_success for transfer in transfers))
    for name in ("aligned_mm", "path_mm", "degrees", "gripper"):
        yield f"median_{name}", float(np.median([getattr(transfer.errors, name) for transfer in transfers]))
