"""Films of finished rollouts: their commands once more in a world with larger images, so that only few are drawn."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from glam.sim.rollouts import Rollout
from glam.sim.world import EpisodeFailedError, World


def film(world: World, rollout: Rollout) -> Iterator[NDArray[np.uint8]]:
    """What the cameras show before the first command and after each one. (V, Y, X, 3) each.

    The simulation is deterministic: a film of anything but exactly what was recorded is our own fault, and raised.
    """
    world.reset(rollout.seed)
    yield world.see()
    poses = []
    for command in rollout.commands:
        poses.append(world.ee_pose())
        try:
            world.step(command)
        except EpisodeFailedError:
            break
        yield world.see()
    is_same = np.array_equal(np.array(poses).ravel(), rollout.poses.ravel()) and world.is_success == rollout.is_success
    assert is_same, f"episode {rollout.seed} went differently when it was filmed"
