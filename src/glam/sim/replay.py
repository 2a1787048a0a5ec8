"""Open-loop replay: recorded actions executed in a world, without feedback."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.sim.world import EpisodeFailedError, World


@dataclass(frozen=True)
class ReplayedEpisode:
    """Outcome of a replay."""

    poses: NDArray[np.float32]
    """(T + 1, 10 K): the pose before the first of T actions, and after each one."""
    images: NDArray[np.uint8]
    """(T + 1, V, Y, X, 3)."""
    is_success: bool


def replay_episode(world: World, seed: int, actions: NDArray[np.float32]) -> ReplayedEpisode:
    """Start episode `seed`, execute all actions, then hold the last one for as long as success must last."""
    world.reset(seed)
    poses, images = [world.ee_pose()], [world.images()]
    is_success = False
    try:
        for action in actions:
            world.step(action.astype(np.float64))
            is_success = is_success or world.is_success
            poses.append(world.ee_pose())
            images.append(world.images())
        for _ in range(world.task.hold_steps):
            world.step(actions[-1].astype(np.float64))
            is_success = is_success or world.is_success
    except EpisodeFailedError:
        is_success = False
    return ReplayedEpisode(np.stack(poses), np.stack(images), is_success)
