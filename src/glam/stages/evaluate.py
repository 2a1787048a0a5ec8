"""`glam evaluate`: closed-loop rollouts of a policy in scenes that nothing was trained on.

OUT/
  config.json     settings, lineage of the policy, command, versions, machine
  episodes.jsonl  one record per episode
  eval_info.json  the summary, under LeRobot's keys
  manifest.json   the seal over all of these: present if and only if the evaluation is complete
  films/          some successes and some failures, such as `50000001-failed-place.mp4`
"""

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch

from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.core.files import contained, write_bytes
from glam.core.seals import is_sealed
from glam.core.simulated import Split, check_task, scene_seeds
from glam.core.workers import Progress, no_progress, spread
from glam.data.tracks import of_cameras
from glam.evaluation.evaluations import CONFIG, EVAL_INFO, FILMS, RolloutRecord, eval_info, film_name, write_evaluation
from glam.evaluation.lineage import Lineage
from glam.evaluation.motion import smoothness
from glam.policies import trained
from glam.reports.films import encode_film, reduced, tiled
from glam.sim.demonstrator import schema_of
from glam.sim.embodiments import find_embodiment
from glam.sim.embodiments.embodiment import Embodiment
from glam.sim.rollouts import ActAndDoubt, Guard, Images, Rollout, Vectors, film, roll_out_with_doubt
from glam.sim.tasks import find_task
from glam.sim.world import CONTROL_RATE, World
from glam.stages.evaluation_folder import KeptRollouts, opened
from glam.stages.lineage import lineage
from glam.training import reproducibility
from glam_client.action_chunking import ActionChunking
from glam_client.safety import AxisLimits, Limits, SafetyFilter


def check_suited(policy: Path, world: World, n_action_steps: int) -> None:
    """Refuse a policy for another task, other cameras, another robot or rate, and more action steps than a chunk has.

    Inputs of another meaning can have the same size; a policy would then act on wrong inputs without an error.
    """
    found = trained.load(policy)
    wanted, given = found.interface, schema_of(world)
    where = f"{world.task.name} by {world.embodiment.name}"
    check_task(f"{policy}: was trained on", wanted.task, world.task.name)
    for what, its, ours in (
        ("cameras", wanted.cameras, tuple(camera for camera in given.cameras if camera in wanted.cameras)),
        ("robot state", wanted.state_names, given.state_names),
        ("actions", wanted.action_names, given.action_names),
        ("rate", (f"{wanted.fps} a second",), (f"{given.fps} a second",)),
    ):
        if its != ours:
            raise GlamError(f"{policy}: was trained with {what} {_listed(its)}, but {where} has {_listed(ours)}")
    if n_action_steps > found.chunk:
        raise GlamError(f"--n-action-steps {n_action_steps}: a chunk of {policy} has {found.chunk} actions")


Feature = Literal["pose", "state", "tracks"]
"""What a policy may be asked to do without."""


def check_optional(policy: Path, without: tuple[Feature, ...]) -> None:
    """Refuse to hide what a policy does not know, or was never trained without."""
    normalizer = trained.load(policy).normalizer
    known = {"pose": normalizer.pose, "state": normalizer.state, "tracks": normalizer.tracks}
    for name in without:
        if not len(known[name].mean):
            raise GlamError(f"--without {name}: {policy} was trained without it")
        if name == "pose" and not normalizer.is_pose_optional:
            raise GlamError(f"--without pose: {policy} was trained with a pose in every sample, and needs it")


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"


_GROUP = 10
"""Episodes that share batched calls. Fixed: rounding depends on the batch, and outcomes must not depend on workers."""
_FILM_SIZE = 256
_SUBSAMPLES = 2  # along each side of a pixel: smooth edges


@dataclass(frozen=True)
class EvaluateConfig:
    """Task, embodiment, scenes and action chunking of an evaluation."""

    task: str
    embodiment: str = "kinova"
    episodes: int = 200
    """Number of unseen scenes, one rollout each."""
    split: Split = "validation"
    """Scenes by which settings may be chosen, or those of the final tests."""
    first: int = 0
    """Number of the first scene in its split."""
    n_action_steps: int = ActionChunking.n_action_steps
    """Actions of each predicted chunk that are executed before the next prediction."""
    temporal_ensemble_weight: float = ActionChunking.temporal_ensemble_weight
    """Weight of the previous action chunk where chunks overlap; 0 turns temporal ensembling off."""
    films: int = 3
    """Number of successes that are filmed, and of failures: the first ones by seed."""

    @property
    def seeds(self) -> range:
        """Seed of each scene."""
        return scene_seeds(self.split, self.first, self.episodes)


def evaluate(
    config: EvaluateConfig,
    policy: Path,
    out: Path,
    *,
    without: tuple[Feature, ...] = (),
    workers: int = 2,
    progress: Progress = no_progress,
) -> Path:
    """Roll the policy out in `out`, going on where an earlier run of the same command stopped; returns `out`.

    Writes records, a summary and films. The policy has to do without the features `without`.
    """
    _check(config, workers)
    behind = lineage(policy)
    check_suited(policy, World(find_task(config.task), _body(config, policy)), config.n_action_steps)
    check_optional(policy, without)
    with opened(out, _config(config, behind, without)):
        kept = KeptRollouts(out)
        if not is_sealed(out):
            rollouts, seconds = _all_rollouts(config, (policy, without), kept, workers, progress)
            records = [_record(config, behind, rollout) for rollout in rollouts]
            films = _write_films(config, policy, out, rollouts, records)
            write_evaluation(out, records, {EVAL_INFO: eval_info(records, seconds, films)}, [CONFIG, *films])
        kept.remove()
    return out


def _all_rollouts(
    config: EvaluateConfig, policy: "_Acting", kept: KeptRollouts, workers: int, progress: Progress
) -> tuple[list[Rollout], float]:
    """Rollouts of all scenes in their order, and the seconds they took; finished groups are not repeated."""
    begun, rollouts, before, missing = time.monotonic(), list[Rollout](), 0.0, list[tuple[int, ...]]()
    for start in range(0, config.episodes, _GROUP):
        seeds = tuple(config.seeds[start : start + _GROUP])
        found, seconds = kept.read(seeds) or ((), 0.0)
        rollouts, before = [*rollouts, *found], max(before, seconds)
        missing += [] if found else [seeds]
    for part in spread(partial(_group, config, policy), missing, max(1, min(workers, len(missing)))):
        rollouts += part
        kept.write(part, before + time.monotonic() - begun)
        progress(len(rollouts), config.episodes)
    return sorted(rollouts, key=lambda rollout: rollout.seed), before + time.monotonic() - begun


def _check(config: EvaluateConfig, workers: int) -> None:
    if config.episodes < 1 or workers < 1:
        raise GlamError(f"--episodes {config.episodes} and --workers {workers} must be >= 1")
    if config.films < 0:
        raise GlamError(f"--films {config.films} must be at least 0")
    scene_seeds(config.split, config.first, config.episodes)
    _chunking(config)


def _config(config: EvaluateConfig, behind: Lineage, without: tuple[Feature, ...]) -> dict[str, Any]:
    return {
        "evaluate": to_json(config) | ({"without": sorted(without)} if without else {}),
        "policy": behind.digest,
        "lineage": to_json(behind),
        "command": list(sys.argv),
        "versions": reproducibility.versions() | {"mujoco": version("mujoco")},
        "machine": reproducibility.description(),
    }


_Acting = tuple[Path, tuple[Feature, ...]]
"""A policy, and what it has to do without."""


def _group(config: EvaluateConfig, policy: _Acting, seeds: tuple[int, ...]) -> list[Rollout]:
    torch.set_num_threads(1)  # processes share the cores
    worlds = _worlds(config, policy[0])[: len(seeds)]
    act = _act(_policy(policy[0]), worlds[0], policy[1])
    return roll_out_with_doubt(worlds, seeds, act, _chunking(config), guard)


def _act(policy: trained.TrainedPolicy, world: World, without: tuple[Feature, ...]) -> ActAndDoubt:
    """The policy, given all views of a world; one that learnt from some of them sees these, and not what is hidden."""
    known = [camera.name for camera in world.task.cameras]
    views = [known.index(camera) for camera in policy.interface.cameras]
    tracked, arms = policy.interface.track_cameras, len(world.arms)

    def act(images: Images, poses: Vectors, states: Vectors, tracks: Vectors) -> tuple[Vectors, Vectors]:
        vectors = {"pose": poses, "state": states, "tracks": of_cameras(tracks, arms, known, tracked)}
        given = {name: value[:, :0] if name in without else value for name, value in vectors.items()}
        seen = (given["tracks"],) if tracked else ()
        return policy.act_and_doubt(images[:, views], given["pose"], given["state"], *seen)

    return act


def _chunking(config: EvaluateConfig) -> ActionChunking:
    return ActionChunking(config.n_action_steps, config.temporal_ensemble_weight)


def guard(world: World) -> Guard:
    """A safety filter with the limits of this world's robot. In simulation no command is ever stale."""
    columns = zip(world.action_names, *world.action_limits(), *world.motion_limits(), strict=True)
    axes = tuple(AxisLimits(name, *map(float, limits)) for name, *limits in columns)
    limits = Limits(axes, period=1.0 / CONTROL_RATE, timeout=1.0)
    safe = SafetyFilter(limits, world.last_action, world.delta_actions)
    return lambda action: safe(action, 0.0, 0.0).command


@cache
def _worlds(config: EvaluateConfig, policy: Path) -> tuple[World, ...]:
    return tuple(World(find_task(config.task), _body(config, policy)) for _ in range(_GROUP))


def _body(config: EvaluateConfig, policy: Path) -> Embodiment:
    """The embodiment with the actions that a policy predicts."""
    return find_embodiment(config.embodiment).acting_as(_policy(policy).interface.action_names)


@cache
def _policy(root: Path) -> trained.TrainedPolicy:
    return trained.load(root)


def _record(config: EvaluateConfig, behind: Lineage, rollout: Rollout) -> RolloutRecord:
    failure = rollout.failure or ("" if rollout.is_success else f"not done after {rollout.steps} steps")
    return RolloutRecord(
        task=config.task,
        method=behind.method,
        embodiment=config.embodiment,
        training_seed=behind.seed,
        split=config.split,
        test_seed=rollout.seed,
        is_success=rollout.is_success,
        steps=rollout.steps,
        failed_stage=rollout.failed_stage,
        failure=failure,
        smoothness=smoothness(rollout.poses, CONTROL_RATE),
        doubts=rollout.doubts,
    )


def _write_films(
    config: EvaluateConfig, policy: Path, out: Path, rollouts: Sequence[Rollout], records: Sequence[RolloutRecord]
) -> list[str]:
    """Film the chosen episodes; returns their paths below `out`."""
    chosen = [number for is_success in (True, False) for number in _first(records, config.films, is_success=is_success)]
    names = [f"{FILMS}/{film_name(records[number])}" for number in chosen]
    if chosen:
        side = _FILM_SIZE * _SUBSAMPLES
        world = World(find_task(config.task), _body(config, policy), (side, side))
        for number, name in zip(chosen, names, strict=True):
            views = np.stack([reduced(frame, _SUBSAMPLES) for frame in film(world, rollouts[number])], axis=1)
            write_bytes(contained(out, name), encode_film(tiled([list(views)]), CONTROL_RATE).mp4)
        world.close()
    return names


def _first(records: Sequence[RolloutRecord], count: int, *, is_success: bool) -> Iterator[int]:
    """Numbers of the first successes or failures."""
    yield from [number for number, record in enumerate(records) if record.is_success == is_success][:count]
