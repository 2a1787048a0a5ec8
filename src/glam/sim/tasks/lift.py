"""Lift: pick up the red one of four cubes and hold it in the air."""

from collections.abc import Mapping

import mujoco
import numpy as np

from glam.sim.expert import Expert
from glam.sim.grasping import WORK_AREA, is_near, is_raised, pick, put_cubes, scatter
from glam.sim.objects import BLUE, CUBE_SIDE, GREEN, RED, YELLOW, add_cube
from glam.sim.tasks.task import Plan, Task
from glam.sim.world import World

CLEARANCE = 0.08
"""Height of the cube's underside above the table from which it counts as lifted, in metres."""
OTHERS = {"blue": BLUE, "green": GREEN, "yellow": YELLOW}
"""Cubes that stay where they are: only its colour tells which one to lift."""


class Lift(Task):
    """Four cubes, one arm."""

    name = "lift"
    instruction = "Pick up the red cube and hold it in the air."
    objects = ("cube", *OTHERS)
    max_episode_steps = 90
    revision = 4
    hold_steps = 5

    def add_objects(self, spec: mujoco.MjSpec) -> None:
        """The red cube and the others."""
        for name, colour in {"cube": RED, **OTHERS}.items():
            add_cube(spec, name, colour)

    def place_objects(self, world: World, rng: np.random.Generator) -> None:
        """Anywhere on the work area, far enough apart for the open gripper, at any yaw."""
        put_cubes(world, rng, self.objects, scatter(rng, len(self.objects), *WORK_AREA, apart=0.13))

    def plans(self, world: World, experts: Mapping[str, Expert]) -> Mapping[str, Plan]:
        """Pick, raise, hold."""
        return {"arm": self._plan(world, experts["arm"])}

    def is_done(self, world: World) -> bool:
        """In the air, and held: a thrown cube does not count."""
        lowest = world.position("cube")[2] - CUBE_SIDE / 2
        return bool(lowest > CLEARANCE) and world.is_held("cube")

    def milestones(self, world: World) -> dict[str, bool]:
        """Reached, then raised."""
        return {"reach": is_near(world, "cube"), "grasp": is_raised(world, "cube")}

    def _plan(self, world: World, expert: Expert) -> Plan:
        yield from pick(world, expert, "cube")
        height = expert.style.hover + 0.06
        yield from expert.move(lambda: [expert.raised(height)])
        yield from expert.wait(self.hold_steps + 1)
