"""Stack-three: two arms build a tower of three cubes; each arm places one."""

from collections.abc import Mapping

import mujoco
import numpy as np

from glam.sim.expert import Expert
from glam.sim.grasping import is_near, is_raised, pick, put_cubes, scatter
from glam.sim.objects import BLUE, GREEN, RED, add_cube
from glam.sim.tasks.stack_two import is_on_top, is_stacked, stack
from glam.sim.tasks.task import Camera, Plan, Task
from glam.sim.world import World

SIDE, BESIDE = 0.17, 0.10
"""Largest and smallest distance of red and green from the middle of the table, in metres: both arms pick at once."""
WAITING_PLACE = (0.36, -0.22, 0.15)
"""Position at which the right gripper waits with its cube, in metres: out of the other's way, and still in view."""


class StackThree(Task):
    """The left arm sets red on blue, then the right arm sets green on red."""

    name = "stack-three"
    instruction = (
        "Stack the red cube on the blue cube with the left arm, then the green cube on top with the right arm."
    )
    objects = ("red", "green", "blue")
    arms = ("left", "right")
    starts = ((0.42, 0.20, 0.25), (0.42, -0.20, 0.25))
    cameras = (
        Camera("front", (1.45, 0.0, 0.50), (0.46, 0.0, 0.08), 24.5),
        Camera("overhead", (1.15, 0.45, 0.75), (0.46, 0.02, 0.09), 26.5),
    )
    max_episode_steps = 260
    revision = 3
    hold_steps = 10

    def add_objects(self, spec: mujoco.MjSpec) -> None:
        """Two cubes to move, one to build on."""
        for name, colour in zip(self.objects, (RED, GREEN, BLUE), strict=True):
            add_cube(spec, name, colour)

    def place_objects(self, world: World, rng: np.random.Generator) -> None:
        """Red on the left arm's half, green on the right arm's, blue in the middle, at any yaw."""
        low = [(0.42, BESIDE), (0.42, -SIDE), (0.42, -0.03)]
        high = [(0.51, SIDE), (0.51, -BESIDE), (0.51, 0.03)]
        put_cubes(world, rng, self.objects, scatter(rng, 3, low, high, apart=0.13))

    def plans(self, world: World, experts: Mapping[str, Expert]) -> Mapping[str, Plan]:
        """Both arms pick at once; neither goes to the tower before the other is out of the way."""
        away: set[str] = set()
        left = self._left_plan(world, experts["left"], away)
        return {"left": left, "right": self._right_plan(world, experts["right"], away)}

    def is_done(self, world: World) -> bool:
        """The tower is complete, and no gripper touches it."""
        is_tower = is_stacked(world, "red", "blue") and is_stacked(world, "green", "red")
        return is_tower and not world.is_held("blue")

    def milestones(self, world: World) -> dict[str, bool]:
        """A cube reached, green raised when red is or has its place, red in its place, green on top of it."""
        is_red_placed = is_on_top(world, "red", "blue")
        return {
            "reach": is_near(world, "red") or is_near(world, "green"),
            "grasp": is_raised(world, "green") and (is_red_placed or is_raised(world, "red")),
            "place": is_red_placed,
            "release": is_red_placed and is_on_top(world, "green", "red"),
        }

    def _left_plan(self, world: World, expert: Expert, away: set[str]) -> Plan:
        home = expert.at
        yield from pick(world, expert, "red")
        yield from expert.move(lambda: [expert.raised(0.04)])
        yield from _until(expert, "right", away)
        yield from stack(world, expert, "red", "blue")
        yield from expert.move(lambda: [home._replace(opening=expert.at.opening)])
        away.add("left")

    def _right_plan(self, world: World, expert: Expert, away: set[str]) -> Plan:
        yield from expert.wait(3)
        yield from pick(world, expert, "green")
        yield from expert.move(lambda: [expert.at._replace(position=np.array(WAITING_PLACE))])
        away.add("right")
        yield from _until(expert, "left", away)
        yield from stack(world, expert, "green", "red")
        yield from expert.wait(self.hold_steps + 2)


def _until(expert: Expert, other: str, away: set[str]) -> Plan:
    while other not in away:
        yield from expert.wait(1)
