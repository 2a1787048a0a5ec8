"""Pick-and-place: put the red cube into the bowl; the blue one stays."""

from collections.abc import Mapping

import mujoco
import numpy as np

from glam.sim.embodiments.embodiment import Vector
from glam.sim.expert import Expert
from glam.sim.grasping import WORK_AREA, is_near, is_raised, pick, place, put_cubes, scatter, yaw_of
from glam.sim.objects import BLUE, BOWL_HEIGHT, BOWL_RADIUS, RED, add_bowl, add_cube
from glam.sim.tasks.task import Plan, Task
from glam.sim.world import World

DROP_HEIGHT = 0.045
"""Height of the cube's centre above the table when it is let go: inside the bowl, above its floor."""


class PickPlace(Task):
    """Two cubes and a bowl, one arm."""

    name = "pick-place"
    instruction = "Put the red cube into the bowl."
    objects = ("cube", "bowl", "blue")
    starts = ((0.42, 0.0, 0.23),)
    max_episode_steps = 155
    revision = 5
    hold_steps = 10

    def add_objects(self, spec: mujoco.MjSpec) -> None:
        """A red cube, a bowl, and a blue cube that stays where it is."""
        add_cube(spec, "cube", RED)
        add_cube(spec, "blue", BLUE)
        add_bowl(spec, "bowl", (0.20, 0.62, 0.72))

    def place_objects(self, world: World, rng: np.random.Generator) -> None:
        """Far enough apart for the open gripper."""
        cube, bowl, blue = scatter(rng, 3, *WORK_AREA, apart=0.16)
        put_cubes(world, rng, ("cube", "blue"), [cube, blue])
        world.put_object("bowl", (*bowl, 0.0), rng.uniform(-np.pi, np.pi))

    def plans(self, world: World, experts: Mapping[str, Expert]) -> Mapping[str, Plan]:
        """Pick, carry, let go, retreat."""
        return {"arm": self._plan(world, experts["arm"])}

    def is_done(self, world: World) -> bool:
        """In the bowl, let go, and still."""
        is_released = _is_inside(world) and not world.is_held("cube")
        return is_released and world.is_still("cube") and world.is_still("bowl")

    def milestones(self, world: World) -> dict[str, bool]:
        """Reached, raised, in the bowl, let go there."""
        is_inside = _is_inside(world)
        return {
            "reach": is_near(world, "cube"),
            "grasp": is_raised(world, "cube"),
            "place": is_inside,
            "release": is_inside and not world.is_held("cube"),
        }

    def _plan(self, world: World, expert: Expert) -> Plan:
        yield from pick(world, expert, "cube", _goal(world))
        # Wide open: a policy may hold the cube by its diagonal, which is wider than 0.8 of the stroke.
        yield from place(world, expert, "cube", _goal(world), yaw_of(world.rotation("cube")), opening=1.0)
        yield from expert.wait(self.hold_steps + 2)


def _goal(world: World) -> Vector:
    """Position at which the cube is let go."""
    return world.position("bowl") + np.array([0.0, 0.0, DROP_HEIGHT])


def _is_inside(world: World) -> bool:
    """Return true if the cube's centre is within the bowl."""
    inside = world.rotation("bowl").T @ (world.position("cube") - world.position("bowl"))
    is_within = np.hypot(inside[0], inside[1]) < BOWL_RADIUS - 0.02 and 0.0 < inside[2] < BOWL_HEIGHT
    return bool(is_within)
