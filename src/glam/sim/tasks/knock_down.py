"""Knock-down: push the mustard bottle over. It falls only when struck across its thin side."""

from collections.abc import Mapping

import mujoco
import numpy as np

from glam.core.geometry import rotation_z
from glam.sim.embodiments.embodiment import POINTING_DOWN, HandPose, Vector
from glam.sim.expert import Expert
from glam.sim.jaw import TIP_BEYOND_TOOL
from glam.sim.objects import BOTTLE_HALF_SIZE, add_bottle
from glam.sim.tasks.task import Plan, Task
from glam.sim.world import World

PUSH_HEIGHT = 0.125
"""Height of the finger tips while pushing: above the tipping height of the thin side, below that of the wide one."""
PUSH_PACE = 0.55
"""Speed of the push against that of other movements: a fast blow can tip the bottle over its wide side too."""
RUN_UP = 0.06
"""Gap between fingers and bottle before the push, in metres."""
FOLLOW_THROUGH = 0.10
"""Distance of the push beyond the bottle's nearer face, in metres."""
_LYING = np.deg2rad(75.0)
"""Tilt from which a bottle at rest lies."""


class KnockDown(Task):
    """A mustard bottle, one arm."""

    name = "knock-down"
    instruction = "Knock the mustard bottle down."
    objects = ("bottle",)
    starts = ((0.34, 0.12, 0.27),)
    max_episode_steps = 105
    hold_steps = 5

    def add_objects(self, spec: mujoco.MjSpec) -> None:
        """One bottle."""
        add_bottle(spec, "bottle")

    def place_objects(self, world: World, rng: np.random.Generator) -> None:
        """Upright, turned by up to 60 degrees, so that the right direction cannot be guessed."""
        x, y = rng.uniform((0.40, 0.0), (0.50, 0.09))
        yaw = rng.uniform(-np.pi / 3, np.pi / 3) - np.pi / 2
        world.put_object("bottle", (x, y, BOTTLE_HALF_SIZE[2]), yaw)

    def plans(self, world: World, experts: Mapping[str, Expert]) -> Mapping[str, Plan]:
        """Close the gripper, stop before the thin side, push through."""
        return {"arm": push_over(world, experts["arm"], thin_axis(world), BOTTLE_HALF_SIZE[0])}

    def is_done(self, world: World) -> bool:
        """Lying and at rest."""
        is_lying = abs(world.rotation("bottle")[2, 2]) < np.cos(_LYING)
        return bool(is_lying) and world.is_still("bottle")

    def milestones(self, world: World) -> dict[str, bool]:
        """Touched, then tipped over."""
        is_tipped = abs(world.rotation("bottle")[2, 2]) < np.cos(np.pi / 4)
        return {"reach": world.is_held("bottle"), "place": bool(is_tipped)}


def thin_axis(world: World) -> Vector:
    """Horizontal direction across the bottle's thin side, to the right (towards -y): away from the waiting gripper."""
    axis = world.rotation("bottle")[:, 0] * np.array([1.0, 1.0, 0.0])
    direction: Vector = -np.sign(axis[1]) * axis / np.linalg.norm(axis)
    return direction


def push_over(world: World, expert: Expert, direction: Vector, half_width: float) -> Plan:
    """Push the bottle along a horizontal `direction`; `half_width` is its half size along it."""
    centre = world.position("bottle")
    # The hand's y axis lies along the push, so straight to the right is no turn at all.
    turn = np.arctan2(direction[0], -direction[1])
    rotation = rotation_z(turn) @ POINTING_DOWN
    height = PUSH_HEIGHT + TIP_BEYOND_TOOL - centre[2]

    def at(distance: float, rise: float = 0.0) -> HandPose:
        return HandPose(centre + direction * distance + np.array([0.0, 0.0, height + rise]), rotation, 0.0)

    start, end = -half_width - RUN_UP, FOLLOW_THROUGH - half_width
    yield from expert.move(lambda: [at(start, rise=expert.style.hover), at(start)])
    yield from expert.move(lambda: [at(end)], pace=PUSH_PACE)
    yield from expert.move(lambda: [expert.raised(0.06)])
    yield from expert.wait(8)
