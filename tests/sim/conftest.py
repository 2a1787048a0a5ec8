"""Worlds for the tests: compiled once each, and dioramas in which things are put by hand."""

from collections.abc import Callable, Iterator
from functools import cache

import mujoco
import numpy as np
import pytest

from glam.core.geometry import quaternion_from_rotation, rotation_from_vector
from glam.sim.embodiments import find_embodiment
from glam.sim.embodiments.embodiment import POINTING_DOWN, HandPose
from glam.sim.tasks import find_task
from glam.sim.world import World

Point = tuple[float, float, float]


@pytest.fixture(scope="session")
def world_of() -> Iterator[Callable[..., World]]:
    """`world_of(task, embodiment, size)`: the same world for every test that asks for it; reset it first."""
    made: list[World] = []

    @cache
    def make(task: str, embodiment: str, size: int = 32) -> World:
        made.append(World(find_task(task), find_embodiment(embodiment), (size, size)))
        return made[-1]

    yield make
    for world in made:
        world.close()


class Diorama:
    """A world whose things are put by hand; nothing moves unless `run` is called."""

    def __init__(self, world: World) -> None:
        self.world = world
        world.reset(0)
        for arm in world.arms:
            self.hand(arm, (0.42, 0.2 if arm == "left" else -0.2, 0.35), opening=1.0)

    def hand(self, arm: str, position: Point, opening: float) -> None:
        """A hand that points down, and its servos with it."""
        world, start = self.world, 0
        for name, bound in world.arms.items():
            piece = slice(start, start + len(bound.action_names))
            if name == arm:
                world.last_action[piece] = bound.put(world.data, HandPose(np.array(position), POINTING_DOWN, opening))
            world.data.ctrl[bound.actuators] = bound.controls(world.last_action[piece])
            start = piece.stop
        mujoco.mj_forward(world.model, world.data)

    def grip(self, arm: str, cube: str) -> None:
        """The fingers of `arm` around a cube, half a millimetre into it."""
        fingers = self.world.model.joint(f"{arm}_left_finger").range[1]
        x, y, z = self.world.position(cube)
        self.hand(arm, (x, y, z + 0.006), opening=(0.025 - 0.00025) / fingers)

    def put(self, name: str, position: Point, tilt: float = 0.0) -> None:
        """An object at rest, tilted about its y axis."""
        self.world.put_object(name, position, 0.0)
        joint = self.world.model.joint(f"{name}_free")
        turn = quaternion_from_rotation(rotation_from_vector(np.array([0.0, tilt, 0.0])))
        self.world.data.qpos[joint.qposadr[0] + 3 : joint.qposadr[0] + 7] = turn
        self.speed(name, (0.0, 0.0, 0.0))
        mujoco.mj_forward(self.world.model, self.world.data)

    def speed(self, name: str, velocity: Point) -> None:
        """Let an object move; it does not turn."""
        start = self.world.model.joint(f"{name}_free").dofadr[0]
        self.world.data.qvel[start : start + 6] = [*velocity, 0.0, 0.0, 0.0]

    def run(self, steps: int) -> None:
        """Let physics act while the hands keep still."""
        for _ in range(steps):
            self.world.step(self.world.last_action)

    @property
    def is_done(self) -> bool:
        """The task's own judgement of this moment."""
        mujoco.mj_forward(self.world.model, self.world.data)
        return self.world.task.is_done(self.world)


@pytest.fixture
def diorama(world_of: Callable[..., World]) -> Callable[..., Diorama]:
    """`diorama(task, embodiment)`."""
    return lambda task, embodiment="umi": Diorama(world_of(task, embodiment))
