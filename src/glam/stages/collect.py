"""`glam collect`: scripted demonstrations of a task by an embodiment, as a LeRobot dataset."""

import logging
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from glam.core.configs import DISTRIBUTION, to_json
from glam.core.errors import GlamError
from glam.core.simulated import FIRST_VALIDATION_SEED, seed_of_attempt
from glam.core.workers import Progress, no_progress, spread
from glam.data.recording import DatasetDescription, acknowledged, publish, recording, save_episode
from glam.data.schema import EE_POSE
from glam.sim.demonstrator import demonstrate, episode_of, schema_of
from glam.sim.embodiments import find_embodiment
from glam.sim.expert import Disturbance
from glam.sim.sensors import PERFECT_TRACKER, Tracker
from glam.sim.tasks import find_task
from glam.sim.world import EpisodeFailedError, World

_LOG = logging.getLogger(__name__)

MOST_ATTEMPTS = 20


@dataclass(frozen=True)
class CollectConfig:
    """Settings that every episode of a collection depends on."""

    task: str
    embodiment: str
    seed: int = 0
    """Episode i starts from the scene of seed + i."""
    image_size: int = 96
    """Height and width of images and masks, in pixels."""
    disturbance: Disturbance = field(default_factory=Disturbance)
    tracker: Tracker = PERFECT_TRACKER
    vary_look: bool = False
    """Colours of table, floor and backdrop and the lights are drawn anew for every episode."""

    def __post_init__(self) -> None:
        """Refuse negative seeds."""
        if self.seed < 0:
            raise GlamError(f"--seed {self.seed} must be at least 0")

    @property
    def provenance(self) -> dict[str, Any]:
        """Settings as JSON. A look that does not vary is left out, so that older sets and runs keep their names."""
        settings: dict[str, Any] = to_json(self)
        return settings if self.vary_look else {name: value for name, value in settings.items() if name != "vary_look"}


@dataclass(frozen=True)
class Collected:
    """A finished collection."""

    root: Path
    episodes: int
    new: int
    discarded: int
    """Failed demonstrations among the new ones; they are not saved."""


def collect(
    config: CollectConfig, out: Path, episodes: int, *, workers: int = 2, progress: Progress = no_progress
) -> Collected:
    """Record demonstrations until `out` holds `episodes`; continues where an earlier run stopped."""
    if episodes < 1 or workers < 1:
        raise GlamError(f"--episodes {episodes} and --workers {workers} must both be at least 1")
    if config.seed + episodes > FIRST_VALIDATION_SEED:
        raise GlamError(
            f"--seed {config.seed} with --episodes {episodes} reaches scenes that are reserved for evaluation; "
            f"their sum must be at most {FIRST_VALIDATION_SEED}"
        )
    schema = schema_of(_world(config))
    description = describe(config)
    discarded = 0
    with recording(out, schema, description):
        done = acknowledged(out)
        if done and max(done) >= episodes:
            raise GlamError(f"{out}: holds episode {max(done)} already; --episodes must be at least {max(done) + 1}")
        missing = episodes - len(done)
        numbers = (index for index in range(episodes) if index not in done)  # one by one: there may be millions
        progress(len(done), episodes)
        results = spread(partial(record, config, out), numbers, min(workers, max(1, missing)))
        for count, failures in enumerate(results, start=1):
            discarded += failures
            progress(len(done) + count, episodes)
        publish(out, schema, description, episodes)
    return Collected(out, episodes, missing, discarded)


def record(config: CollectConfig, out: Path, index: int) -> int:
    """Record episode `index`, which depends on the config and this number alone; return the failed attempts."""
    world = _world(config)
    schema = schema_of(world)
    for attempt in range(MOST_ATTEMPTS):
        seed = seed_of_attempt(config.seed + index, attempt)
        try:
            demonstration = demonstrate(world, seed, config.disturbance)
        except EpisodeFailedError as failure:
            _LOG.warning("%s by %s, seed %d: %s", config.task, config.embodiment, seed, failure)
            continue
        if demonstration.is_success:
            episode = episode_of(demonstration, schema, world.task.instruction)
            episode.vectors[EE_POSE] = config.tracker.measured(episode.vectors[EE_POSE], seed)
            save_episode(out, schema, index, episode, {"seed": seed, "discarded": attempt})
            return attempt
    raise GlamError(f"{config.task} by {config.embodiment}: {MOST_ATTEMPTS} demonstrations failed for episode {index}")


def describe(config: CollectConfig) -> DatasetDescription:
    """Provenance of a collection."""
    return DatasetDescription(
        task=config.task,
        embodiment=config.embodiment,
        seed=config.seed,
        config=config.provenance,
        versions={name: version(name) for name in (DISTRIBUTION, "mujoco", "numpy", "av")}
        | {"task": str(find_task(config.task).revision)},
    )


@cache
def _world(config: CollectConfig) -> World:
    """One world per process: compiling it takes longer than an episode."""
    size = (config.image_size, config.image_size)
    return World(find_task(config.task), find_embodiment(config.embodiment), size, vary_look=config.vary_look)
