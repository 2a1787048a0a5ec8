"""Stack-two: put the red cube on the blue one."""

from collections.abc import Mapping
from dataclasses import replace

import mujoco
import numpy as np

from glam.sim.expert import Expert
from glam.sim.grasping import is_near, is_raised, pick, place, put_cubes, scatter, yaw_of
from glam.sim.objects import BLUE, CUBE_SIDE, RED, add_cube
from glam.sim.tasks.task import TABLE_CAMERAS, Plan, Task
from glam.sim.world import World

PLACING_GAP = 0.003
"""Height from which a cube is let go: it must not be pressed into the one below."""
STACKING_AREA = ((0.33, -0.17), (0.59, 0.17))
"""Corners of the part of the table on which both cubes start, in metres."""


class StackTwo(Task):
    """Two cubes, one arm."""

    name = "stack-two"
    instruction = "Stack the red cube on the blue cube."
    objects = ("red", "blue")
    cameras = tuple(replace(camera, fovy=fovy) for camera, fovy in zip(TABLE_CAMERAS, (25.0, 28.5), strict=True))
    max_episode_steps = 150
    revision = 5
    hold_steps = 10

    def add_objects(self, spec: mujoco.MjSpec) -> None:
        """The cube to be moved and the cube to be built on."""
        add_cube(spec, "red", RED)
        add_cube(spec, "blue", BLUE)

    def place_objects(self, world: World, rng: np.random.Generator) -> None:
        """Anywhere on their area, far enough apart for the open gripper, at any yaw."""
        put_cubes(world, rng, self.objects, scatter(rng, 2, *STACKING_AREA, apart=0.13))

    def plans(self, world: World, experts: Mapping[str, Expert]) -> Mapping[str, Plan]:
        """Pick, carry, let go, retreat, wait."""
        return {"arm": self._plan(world, experts["arm"])}

    def is_done(self, world: World) -> bool:
        """Stacked, let go, and still."""
        return is_stacked(world, "red", "blue") and not world.is_held("blue")

    def milestones(self, world: World) -> dict[str, bool]:
        """Reached, raised, on the other cube, let go there."""
        is_above = is_on_top(world, "red", "blue")
        return {
            "reach": is_near(world, "red"),
            "grasp": is_raised(world, "red"),
            "place": is_above,
            "release": is_above and not world.is_held("red"),
        }

    def _plan(self, world: World, expert: Expert) -> Plan:
        yield from pick(world, expert, "red", world.position("blue"))
        yield from stack(world, expert, "red", "blue")
        yield from expert.wait(self.hold_steps + 2)


def stack(world: World, expert: Expert, upper: str, lower: str) -> Plan:
    """Set the held cube `upper` on `lower`, aligned with it."""
    goal = world.position(lower) + np.array([0.0, 0.0, CUBE_SIDE + PLACING_GAP])
    yield from place(world, expert, upper, goal, yaw_of(world.rotation(lower)))


def is_stacked(world: World, upper: str, lower: str) -> bool:
    """`upper` rests on `lower`, touched by nothing else, both still."""
    is_free = is_on_top(world, upper, lower) and not world.is_held(upper)
    return is_free and world.is_still(upper) and world.is_still(lower)


def is_on_top(world: World, upper: str, lower: str) -> bool:
    """`upper` sits on `lower`, held or not."""
    offset = world.position(upper) - world.position(lower)
    is_above = np.linalg.norm(offset[:2]) < CUBE_SIDE / 2 and abs(offset[2] - CUBE_SIDE) < 0.006
    return bool(is_above) and world.touches(upper, lower)
