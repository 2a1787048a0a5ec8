"""Worlds seen from far enough away that hand, arm and objects stay in the frame, for films and images of the docs."""

import copy
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from glam.reports.films import reduced
from glam.sim.demonstrator import expert_actions
from glam.sim.embodiments import find_embodiment
from glam.sim.expert import Disturbance
from glam.sim.tasks import find_task
from glam.sim.tasks.task import Camera
from glam.sim.world import World

Frame = NDArray[np.uint8]

CAMERA = Camera("film", (1.70, 0.50, 0.64), (0.40, 0.0, 0.165), 19.0)
"""The cameras of the tasks are nearer: there the hand leaves the frame."""
SUBSAMPLES = 2
"""Pixels that are drawn along each side of one that is shown: smooth edges."""


def world(task: str, embodiment: str, size: tuple[int, int]) -> World:
    """A world that only this camera sees, in images of this height and width."""
    filmed = copy.copy(find_task(task))
    filmed.cameras = (CAMERA,)
    return World(filmed, find_embodiment(embodiment), (size[0] * SUBSAMPLES, size[1] * SUBSAMPLES))


def seen(filmed: World) -> Frame:
    """The present image."""
    return smooth(filmed.images())


def smooth(views: NDArray[np.uint8]) -> Frame:
    """The one view of a filmed world at its final size."""
    return reduced(views[0], SUBSAMPLES)


def demonstration(filmed: World, seed: int) -> Iterator[tuple[Frame, NDArray[np.float32]]]:
    """The scripted demonstration of a scene: image and gripper pose before each action."""
    filmed.reset(seed)
    for action in expert_actions(filmed, Disturbance()):
        yield seen(filmed), filmed.ee_pose()
        filmed.step(action)
