"""Knock-down: push the mustard bottle over. It falls only when pushed across its thin side, within about 15 degrees."""

from collections.abc import Mapping

import mujoco
import numpy as np

from glam.core.geometry import rotation_z
from glam.sim.embodiments.embodiment import POINTING_DOWN, HandPose, Vector
from glam.sim.expert import Expert
from glam.sim.jaw import TIP_BEYOND_TOOL
from glam.sim.objects import BOTTLE_HALF_SIZE, add_bottle
from glam.sim.tasks.task import Camera, Plan, Task
from glam.sim.world import World

PUSH_HEIGHT = 0.125
"""Height of the finger tips while pushing, in metres."""
PUSH_PACE = 0.5
"""Speed of the push against that of other movements: a faster one tips the bottle from more directions."""
BOTTLE_AREA = ((0.35, -0.18), (0.59, 0.18))
"""Corners of the area in which the bottle starts, in metres: the hand reaches every side of it."""
LEAST_AHEAD = 0.03
"""Distance along the bottle's thin axis, in metres, by which the hand starts on one of its two sides at least: where
both sides were equally near, demonstrations of both would look alike at the start."""
RUN_UP = 0.06
"""Gap between fingers and bottle before the push, in metres."""
FOLLOW_THROUGH = 0.07
"""Distance of the push beyond the bottle's nearer face, in metres."""
_LYING = np.deg2rad(75.0)
"""Tilt from which a bottle at rest lies."""


class KnockDown(Task):
    """A mustard bottle, one arm."""

    name = "knock-down"
    instruction = "Knock the mustard bottle down."
    objects = ("bottle",)
    cameras = (
        Camera("front", (1.45, 0.0, 0.50), (0.45, 0.0, 0.13), 29.0),
        Camera("overhead", (1.05, 0.55, 0.78), (0.46, 0.02, 0.11), 33.0),
    )
    starts = ((0.44, 0.0, 0.31),)
    max_episode_steps = 130
    revision = 4
    hold_steps = 5

    def add_objects(self, spec: mujoco.MjSpec) -> None:
        """One bottle."""
        add_bottle(spec, "bottle")

    def place_objects(self, world: World, rng: np.random.Generator) -> None:
        """Upright, turned by any angle: a push from a fixed side tips one bottle in five."""
        hand = world.starts["arm"].position[:2]
        while True:
            place, yaw = rng.uniform(*BOTTLE_AREA), rng.uniform(-np.pi / 2, np.pi / 2)
            if abs((place - hand) @ [np.cos(yaw), np.sin(yaw)]) >= LEAST_AHEAD:
                break
        world.put_object("bottle", (*place, BOTTLE_HALF_SIZE[2]), yaw)

    def plans(self, world: World, experts: Mapping[str, Expert]) -> Mapping[str, Plan]:
        """Close the gripper, stop before the nearer thin side, push through."""
        expert = experts["arm"]
        return {"arm": push_over(world, expert, nearer_push(world, expert.at.position))}

    def is_done(self, world: World) -> bool:
        """Lying and at rest."""
        is_lying = abs(world.rotation("bottle")[2, 2]) < np.cos(_LYING)
        return bool(is_lying) and world.is_still("bottle")

    def milestones(self, world: World) -> dict[str, bool]:
        """Touched, then tipped over."""
        is_tipped = abs(world.rotation("bottle")[2, 2]) < np.cos(np.pi / 4)
        return {"reach": world.is_held("bottle"), "place": bool(is_tipped)}


def nearer_push(world: World, hand: Vector) -> Vector:
    """Horizontal direction across the bottle's thin side that pushes away from the side on which the hand is."""
    axis = world.rotation("bottle")[:, 0] * np.array([1.0, 1.0, 0.0])
    is_ahead = axis @ (world.position("bottle") - hand) >= 0.0
    return (1.0 if is_ahead else -1.0) * axis / np.linalg.norm(axis)


def push_over(world: World, expert: Expert, direction: Vector) -> Plan:
    """Push the bottle along a horizontal `direction`, through its centre."""
    centre = world.position("bottle")
    half_width = float(np.abs(world.rotation("bottle").T @ direction) @ BOTTLE_HALF_SIZE)  # along the push
    # The hand's y axis lies along the push, either way round: the smaller turn from straight to the right or left.
    turn = np.arctan(-direction[0] / direction[1]) if direction[1] else np.pi / 2
    rotation = rotation_z(turn) @ POINTING_DOWN
    height = PUSH_HEIGHT + TIP_BEYOND_TOOL - centre[2]

    def at(distance: float, rise: float = 0.0) -> HandPose:
        return HandPose(centre + direction * distance + np.array([0.0, 0.0, height + rise]), rotation, 0.0)

    start, end = -half_width - RUN_UP, FOLLOW_THROUGH - half_width
    yield from expert.move(lambda: [at(start, rise=expert.style.hover), at(start)])
    yield from expert.move(lambda: [at(end)], pace=PUSH_PACE)
    yield from expert.move(lambda: [expert.raised(0.06)])
    yield from expert.wait(8)
