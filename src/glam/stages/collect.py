"""`glam collect`: scripted demonstrations of a task by an embodiment, as a LeRobot dataset."""

import logging
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from glam.core.configs import DISTRIBUTION, to_json
from glam.core.errors import GlamError
from glam.core.simulated import FIRST_VALIDATION_SEED, seed_of_attempt
from glam.core.workers import Progress, no_progress, spread
from glam.data.recording import DatasetDescription, acknowledged, publish, recording, save_episode
from glam.data.schema import EE_POSE, Episode, Schema
from glam.data.tracks import EE_TRACKS, of_cameras
from glam.sim.demonstrator import demonstrate, episode_of, schema_of
from glam.sim.embodiments import find_embodiment
from glam.sim.embodiments.embodiment import USUAL_ACTIONS, Embodiment
from glam.sim.expert import Disturbance
from glam.sim.sensors import (
    PERFECT_POINTS,
    PERFECT_TRACKER,
    USUAL_CAMERAS,
    CameraOffset,
    PointTracker,
    Tracker,
)
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
    cameras: tuple[str, ...] = ()
    """Cameras that are recorded; all of the task by default."""
    camera_offset: CameraOffset = USUAL_CAMERAS
    action_space: str = USUAL_ACTIONS
    """What the actions of a robot say: joint positions, or another space of the embodiment."""
    has_pose: bool = True
    """False to record no end-effector pose."""
    has_tracks: bool = False
    """Record where every camera sees the fingertips."""
    points: PointTracker = PERFECT_POINTS
    """How well they are found there."""

    def __post_init__(self) -> None:
        """Refuse negative seeds, and cameras and actions that there are not."""
        if self.seed < 0:
            raise GlamError(f"--seed {self.seed} must be at least 0")
        known = [camera.name for camera in find_task(self.task).cameras] if self.cameras else []
        if unknown := [camera for camera in self.cameras if camera not in known]:
            raise GlamError(f"--cameras {unknown[0]}: {self.task} has {', '.join(known)}")
        if self.points != PERFECT_POINTS and not self.has_tracks:
            raise GlamError("--track-noise-px and --track-lost: no tracks are recorded; add --tracks")
        _ = self.body

    @property
    def body(self) -> Embodiment:
        """The embodiment with these actions."""
        found = find_embodiment(self.embodiment)
        return found if self.action_space == USUAL_ACTIONS else found.acting_by(self.action_space)

    @property
    def provenance(self) -> dict[str, Any]:
        """Settings as JSON. Later ones at their defaults are left out, so that older sets and runs keep their names."""
        settings: dict[str, Any] = to_json(self)
        usual = to_json(CollectConfig(self.task, self.embodiment))
        later = [name for name in _LATER if settings[name] == usual[name]]
        tracker = [name for name in _LATER_OF_TRACKER if settings["tracker"][name] == usual["tracker"][name]]
        settings["tracker"] = _without(settings["tracker"], tracker)
        return _without(settings, later)


_LATER = ("vary_look", "cameras", "camera_offset", "action_space", "has_pose", "has_tracks", "points")
_LATER_OF_TRACKER = ("tool_turn_degrees", "has_own_frame", "gripper_readings")
"""Settings that came after the first results were recorded."""


def _without(settings: dict[str, Any], names: list[str]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name not in names}


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
    schema = _schema(config)
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
    world, schema = _world(config), _schema(config)
    for attempt in range(MOST_ATTEMPTS):
        seed = seed_of_attempt(config.seed + index, attempt)
        try:
            demonstration = demonstrate(world, seed, config.disturbance)
        except EpisodeFailedError as failure:
            _LOG.warning("%s by %s, seed %d: %s", config.task, config.embodiment, seed, failure)
            continue
        if demonstration.is_success:
            whole = replace(schema_of(world), track_cameras=schema_of(world).cameras if config.has_tracks else ())
            episode = _measured(config, episode_of(demonstration, whole, world.task.instruction), whole, seed)
            episode = _restricted(episode, whole, schema)
            save_episode(out, schema, index, episode, {"seed": seed, "discarded": attempt})
            return attempt
    raise GlamError(f"{config.task} by {config.embodiment}: {MOST_ATTEMPTS} demonstrations failed for episode {index}")


def _measured(config: CollectConfig, episode: Episode, schema: Schema, seed: int) -> Episode:
    """An episode with the errors of the trackers."""
    vectors = episode.vectors | {EE_POSE: config.tracker.measured(episode.vectors[EE_POSE], seed)}
    if schema.track_cameras:
        vectors[EE_TRACKS] = config.points.measured(vectors[EE_TRACKS], schema.image_size, seed)
    return replace(episode, vectors=vectors)


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
    return World(
        find_task(config.task),
        config.body,
        size,
        vary_look=config.vary_look,
        camera_offset=config.camera_offset,
    )


def _restricted(episode: Episode, whole: Schema, schema: Schema) -> Episode:
    """The episode without cameras and poses that are not recorded."""
    vectors = {key: episode.vectors[key] for key in schema.vectors}
    if schema.track_cameras:
        arms, cameras = len(schema.arms), whole.track_cameras
        vectors[EE_TRACKS] = of_cameras(vectors[EE_TRACKS], arms, cameras, schema.track_cameras)
    images = {key: episode.images[key] for key in schema.image_keys}
    return replace(episode, vectors=vectors, images=images, masks={key: episode.masks[key] for key in schema.mask_keys})


def _schema(config: CollectConfig) -> Schema:
    """The features that are recorded."""
    schema = schema_of(_world(config))
    cameras = config.cameras or schema.cameras
    tracked = cameras if config.has_tracks else ()
    return replace(schema, cameras=cameras, has_pose=config.has_pose, track_cameras=tracked)
