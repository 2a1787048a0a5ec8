"""Actions played open-loop in a world: nothing is looked at while they run."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.sim.world import EpisodeFailedError, World


@dataclass(frozen=True)
class Replay:
    """What happened."""

    poses: NDArray[np.float32]
    """(T, 10 K), one more than actions: the pose before the first action and after each one."""
    images: NDArray[np.uint8]
    """(T, V, Y, X, 3)."""
    is_success: bool


def replay(world: World, seed: int, actions: NDArray[np.float32]) -> Replay:
    """Start episode `seed` and give one action after the other; then hold the last one until success could show."""
    world.reset(seed)
    poses, images = [world.ee_pose()], [world.see()]
    is_success = False
    try:
        for action in actions:
            world.step(action.astype(np.float64))
            is_success = is_success or world.is_success
            poses.append(world.ee_pose())
            images.append(world.see())
        for _ in range(world.task.hold_steps):
            world.step(actions[-1].astype(np.float64))
            is_success = is_success or world.is_success
    except EpisodeFailedError:
        is_success = False
    return Replay(np.stack(poses), np.stack(images), is_success)
