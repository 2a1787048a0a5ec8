"""Films of finished rollouts: their commands are executed again in a world with larger images."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from glam.sim.rollouts import Rollout
from glam.sim.world import EpisodeFailedError, World


def film(world: World, rollout: Rollout) -> Iterator[NDArray[np.uint8]]:
    """Camera images before the first command and after each one, (V, Y, X, 3) each.

    The simulation is deterministic, so an episode that goes differently is a bug, and raised as one.
    """
    world.reset(rollout.seed)
    yield world.images()
    poses = []
    for command in rollout.commands:
        poses.append(world.ee_pose())
        try:
            world.step(command)
        except EpisodeFailedError:
            break
        yield world.images()
    is_same = np.array_equal(np.array(poses).ravel(), rollout.poses.ravel()) and world.is_success == rollout.is_success
    assert is_same, f"episode {rollout.seed} went differently when it was filmed"
