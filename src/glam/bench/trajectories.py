"""Joint trajectories of policies beside those of an expert: open loop along its observations, and in closed loop.

Open loop: the policy gets the recorded observations, as often as in an evaluation, and its action chunks are
concatenated. Closed loop: it acts in the world from the same start, as in an evaluation.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.data.reader import Dataset
from glam.data.schema import ACTION, EE_POSE, IMAGE_PREFIX, STATE
from glam.policies import trained
from glam.policies.trained import TrainedPolicy
from glam.sim.embodiments import find_embodiment
from glam.sim.rollouts import roll_out
from glam.sim.tasks import find_task
from glam.sim.world import World
from glam.stages.evaluate import guard
from glam_client.action_chunking import DEFAULT_CHUNKING

Actions = NDArray[np.float32]
"""(T, n_a)."""

UNIT = 0.001
"""Unit of the recorded numbers: thousandths of a radian, or of the gripper's stroke."""
SHOWN = 0
"""The demonstration whose trajectories are kept."""
_GRIPPER = "gripper"


@dataclass(frozen=True)
class TrajectoryScore:
    """Distance of a policy from the expert along its demonstrations, and roughness of its motion; joints only."""

    error_degrees: float
    """Mean distance of a joint target from the expert's."""
    roughness_degrees: float
    """Mean size of the second difference of joint targets: of a steady movement it is 0."""


def trajectories(policies: Mapping[str, Path], demonstrations: Path) -> dict[str, Any]:
    """Scores of each policy over all demonstrations, and every joint over one of them."""
    dataset = Dataset.open(demonstrations)
    if dataset.schema.role != "target":
        raise GlamError(f"{demonstrations}: holds no actions to compare with; give demonstrations of the robot")
    names = dataset.schema.action_names
    experts = [_expert(dataset, episode) for episode in range(len(dataset.episodes))]
    return {
        "unit": UNIT,
        "rate": dataset.schema.fps,
        "seed": int(dataset.episodes[SHOWN].facts["seed"]),
        "demonstrations": len(experts),
        "expert": {"actions": compact(experts[SHOWN], names), "roughness_degrees": _roughness(experts, names)},
        "policies": {name: _policy(trained.load(root), dataset, experts) for name, root in policies.items()},
    }


def compact(actions: Actions, names: tuple[str, ...]) -> dict[str, str]:
    """Each entry of an action over time as one line of whole numbers."""
    whole = np.rint(actions / UNIT).astype(int)
    return {name: " ".join(map(str, column)) for name, column in zip(names, whole.T, strict=True)}


def _policy(policy: TrainedPolicy, dataset: Dataset, experts: list[Actions]) -> dict[str, Any]:
    names = dataset.schema.action_names
    if policy.interface.action_names != names:
        raise GlamError(f"{dataset.root}: its actions are not those of the policies; give demonstrations of that robot")
    followed = [follow(policy, dataset, episode) for episode in range(len(experts))]
    moved = [_joints(own, names) - _joints(expert, names) for own, expert in zip(followed, experts, strict=True)]
    error = float(np.degrees(np.mean([np.abs(part).mean() for part in moved])))
    world = _world(dataset)
    (online,) = roll_out([world], [int(dataset.episodes[SHOWN].facts["seed"])], policy.act, DEFAULT_CHUNKING, guard)
    world.close()
    return {
        "followed": compact(followed[SHOWN], names),
        "online": compact(online.commands.astype(np.float32), names),
        "is_success": online.is_success,
        **vars(TrajectoryScore(error, _roughness(followed, names))),
    }


def follow(policy: TrainedPolicy, dataset: Dataset, episode: int) -> Actions:
    """Actions of the policy for the recorded observations, as many as the expert's actions."""
    vectors = dataset.vectors(episode)
    views = [dataset.images(episode, IMAGE_PREFIX + camera) for camera in policy.interface.cameras]
    chunks = policy.act(np.stack(views, axis=1), vectors[EE_POSE], vectors[STATE])  # (T, H, n_a)
    return executed(chunks)[: len(chunks) - 1]


def executed(chunks: Actions) -> Actions:
    """Executed actions, given the chunks of every step. (T, H, n_a) -> (at least T, n_a)."""
    done, rest = list[Actions](), chunks[0, :0]
    for look in range(0, len(chunks), min(DEFAULT_CHUNKING.n_action_steps, chunks.shape[1])):
        plan = DEFAULT_CHUNKING.mixed(chunks[look].copy(), rest)
        done.append(plan[: DEFAULT_CHUNKING.n_action_steps])
        rest = plan[DEFAULT_CHUNKING.n_action_steps :]
    return np.concatenate(done)


def _expert(dataset: Dataset, episode: int) -> Actions:
    """The last action leads nowhere."""
    return dataset.vectors(episode)[ACTION][:-1]


def _roughness(paths: list[Actions], names: tuple[str, ...]) -> float:
    return float(np.degrees(np.mean([np.abs(np.diff(_joints(path, names), 2, axis=0)).mean() for path in paths])))


def _joints(actions: Actions, names: tuple[str, ...]) -> Actions:
    return actions[:, [_GRIPPER not in name for name in names]]


def _world(dataset: Dataset) -> World:
    made = dataset.provenance["description"]
    body = find_embodiment(made["embodiment"]).acting_as(dataset.schema.action_names)
    return World(find_task(made["task"]), body, dataset.schema.image_size)
