"""`glam evaluate`: closed-loop rollouts of a policy from configurations that nothing was trained on."""

import time
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import torch

from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.core.files import write_json
from glam.core.progress import Progress, unseen
from glam.core.workers import spread
from glam.evaluation.eval_info import eval_info
from glam.evaluation.records import EpisodeRecord, write_records
from glam.evaluation.smoothness import smoothness
from glam.policies import trained
from glam.policies.safety import Axis, Limits, SafetyFilter
from glam.sim.embodiments import find_embodiment
from glam.sim.rollouts import Guard, Rollout, roll_out
from glam.sim.tasks import find_task
from glam.sim.world import CONTROL_RATE, World
from glam.training import artefact

FIRST_TEST_SEED = 50_000_000
"""Far above every seed that demonstrations are collected with."""
_GROUP = 10
"""Episodes that share batched calls. Fixed: rounding depends on the batch, and outcomes must not depend on workers."""


@dataclass(frozen=True)
class EvaluateConfig:
    """What is tried, and how."""

    task: str
    embodiment: str = "kinova"
    episodes: int = 200
    first_seed: int = FIRST_TEST_SEED
    """Configuration of episode i is first_seed + i."""
    execute: int = 10
    """Actions of each predicted chunk that are executed before the policy looks again."""


def evaluate(config: EvaluateConfig, policy: Path, out: Path, *, workers: int = 2, progress: Progress = unseen) -> Path:
    """Roll the policy out; writes one record per episode and `eval_info.json`; returns `out`."""
    if config.episodes < 1 or workers < 1 or config.execute < 1:
        raise GlamError(
            f"--episodes {config.episodes}, --workers {workers} and --execute {config.execute} must be >= 1"
        )
    start = time.monotonic()
    method, training_seed = _identity(policy)
    last = config.first_seed + config.episodes
    groups = [tuple(range(first, min(first + _GROUP, last))) for first in range(config.first_seed, last, _GROUP)]
    rollouts: list[Rollout] = []
    for part in spread(partial(_group, config, policy), groups, min(workers, len(groups))):
        rollouts += part
        progress(len(rollouts), config.episodes)
    records = [_record(config, method, training_seed, rollout) for rollout in rollouts]
    records.sort(key=lambda record: record.test_seed)
    write_records(out, records)
    write_json(out / "eval_info.json", eval_info(records, time.monotonic() - start))
    write_json(out / "config.json", {"evaluate": to_json(config), "policy": artefact.load(policy).digest})
    return out


def _group(config: EvaluateConfig, policy: Path, seeds: tuple[int, ...]) -> list[Rollout]:
    torch.set_num_threads(1)  # processes share the cores
    worlds = _worlds(config.task, config.embodiment)[: len(seeds)]
    return roll_out(worlds, seeds, _policy(policy).act, config.execute, guard)


def guard(world: World) -> Guard:
    """A safety filter with the limits of this world's robot. In simulation no command is ever stale."""
    columns = zip(*world.action_limits(), *world.motion_limits(), strict=True)
    axes = tuple(Axis(str(number), *map(float, limits)) for number, limits in enumerate(columns))
    safe = SafetyFilter(Limits(axes, period=1.0 / CONTROL_RATE, timeout=1.0), world.last_action)
    return lambda action: safe(action, 0.0, 0.0).command


@cache
def _worlds(task: str, embodiment: str) -> tuple[World, ...]:
    return tuple(World(find_task(task), find_embodiment(embodiment)) for _ in range(_GROUP))


@cache
def _policy(root: Path) -> trained.TrainedPolicy:
    return trained.load(root)


def _identity(policy: Path) -> tuple[str, int]:
    """Method and training seed, for the records."""
    found = artefact.load(policy)
    return str(found.config["method"]), int(found.record["seed"])


def _record(config: EvaluateConfig, method: str, training_seed: int, rollout: Rollout) -> EpisodeRecord:
    failure = rollout.failure or ("" if rollout.is_success else f"not done after {rollout.steps} steps")
    return EpisodeRecord(
        task=config.task,
        method=method,
        embodiment=config.embodiment,
        training_seed=training_seed,
        test_seed=rollout.seed,
        is_success=rollout.is_success,
        steps=rollout.steps,
        failed_stage=rollout.failed_stage,
        failure=failure,
        smoothness=smoothness(rollout.poses, CONTROL_RATE),
    )
