"""Parts of plans that several tasks share: picking a cube from above and setting it down somewhere."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from glam.core.geometry import rotation_z
from glam.sim.embodiments.embodiment import POINTING_DOWN, HandPose, Vector
from glam.sim.expert import Expert, MissedGrasp
from glam.sim.objects import CUBE_SIDE
from glam.sim.tasks.task import Plan

if TYPE_CHECKING:
    from glam.sim.world import World

WORK_AREA = ((0.31, -0.20), (0.61, 0.20))
"""Corners of the part of the table that one arm uses, in metres."""
Corner = tuple[float, float] | list[tuple[float, float]]
"""Lowest or highest x and y of one rectangle for all, or of one for each."""
QUARTER = np.pi / 2
GRASP_ABOVE_CENTRE = 0.006
REACHED = 0.035
"""Distance from gripper to cube at which it counts as reached, in metres."""
RAISED = 0.02
"""Height above the table at which a held cube counts as grasped, in metres."""


def yaw_of(rotation: Vector) -> float:
    """Heading of a flat-lying cube in [-45, 45) degrees: a quarter turn does not change a cube."""
    yaw = np.arctan2(rotation[1, 0], rotation[0, 0])
    return float((yaw + QUARTER / 2) % QUARTER - QUARTER / 2)


def grasp_pose(world: "World", cube: str, offset: float) -> HandPose:
    """Open gripper around a cube, from above, `offset` metres along the fingers' width from its centre."""
    rotation = rotation_z(yaw_of(world.rotation(cube)))
    position = world.position(cube) + rotation @ np.array([offset, 0.0, GRASP_ABOVE_CENTRE])
    return HandPose(position, rotation @ POINTING_DOWN, 1.0)


def pick(world: "World", expert: Expert, cube: str, goal: Vector | None = None) -> Plan:
    """Reach for a cube and grip it. After a missed grasp move towards `goal`, if there is one, before the next try."""
    miss = expert.next_missed_grasp()
    if miss is not None:
        yield from _grip_nothing(world, expert, cube, miss)
        yield from expert.move(lambda: _leave(expert, miss, goal))
        yield from expert.grip(1.0, steps=3, settle=0)
    yield from expert.approach(lambda: grasp_pose(world, cube, expert.style.grasp_offset))
    yield from expert.grip(0.0)


def carry_pose(world: "World", expert: Expert, cube: str, goal: Vector, yaw: float) -> HandPose:
    """Gripper pose at which the cube it holds is at `goal` with heading `yaw`.

    The cube's place in the hand is measured, so a grasp beside the centre is made up for when placing.
    """
    turn = yaw - yaw_of(world.rotation(cube))
    turn = (turn + QUARTER / 2) % QUARTER - QUARTER / 2
    rotation = rotation_z(turn)
    hand = world.hand(_arm_holding(world, cube))
    lever = rotation @ (world.position(cube) - hand.position)
    return HandPose(goal - lever, rotation @ expert.at.rotation, expert.at.opening)


def place(world: "World", expert: Expert, cube: str, goal: Vector, yaw: float, *, opening: float = 0.8) -> Plan:
    """Lift a held cube, carry it to `goal`, let go by opening the gripper to `opening`, and retreat."""
    yield from expert.move(lambda: [expert.raised(0.04)])
    yield from expert.approach(lambda: carry_pose(world, expert, cube, goal, yaw))
    yield from expert.wait(2)
    yield from expert.grip(opening, steps=3, settle=2)
    yield from expert.move(lambda: [expert.raised(0.10)])


def scatter(rng: np.random.Generator, count: int, low: Corner, high: Corner, apart: float = 0.0) -> Vector:
    """`count` places in a rectangle, or each in its own, at least `apart` metres from one another. (count, 2)."""
    while True:
        places = rng.uniform(low, high, (count, 2))
        gaps = np.linalg.norm(places[:, None] - places[None], axis=-1) + np.identity(count)
        if gaps.min() >= apart:
            return places


def put_cubes(world: "World", rng: np.random.Generator, cubes: Sequence[str], places: Iterable[Vector]) -> None:
    """Put cubes on the table, each at a random yaw; its symmetry allows 45 degrees either way."""
    for cube, (x, y) in zip(cubes, places, strict=True):
        world.put_object(cube, (x, y, CUBE_SIDE / 2), rng.uniform(-QUARTER / 2, QUARTER / 2))


def is_near(world: "World", cube: str) -> bool:
    """Return true if a gripper is around a cube."""
    return bool(np.linalg.norm(world.hand(_arm_holding(world, cube)).position - world.position(cube)) < REACHED)


def is_raised(world: "World", cube: str) -> bool:
    """Return true if a gripper holds a cube off the table."""
    return bool(world.position(cube)[2] > CUBE_SIDE / 2 + RAISED) and world.is_held(cube)


def _grip_nothing(world: "World", expert: Expert, cube: str, miss: MissedGrasp) -> Plan:
    def beside() -> HandPose:
        pose = grasp_pose(world, cube, miss.side)
        return pose._replace(position=pose.position + np.array([0.0, 0.0, miss.height]))

    yield from expert.approach(beside)
    yield from expert.grip(0.0)


def _leave(expert: Expert, miss: MissedGrasp, goal: Vector | None) -> list[HandPose]:
    """Up, and part of the way to the goal, as if the cube were in the gripper."""
    up = expert.raised(miss.rise)
    if goal is None:
        return [up]
    there = expert.above(up._replace(position=goal)).position
    return [up, up._replace(position=up.position + miss.share * (there - up.position))]


def _arm_holding(world: "World", cube: str) -> str:
    """The arm nearest to the cube."""
    distances = {arm: np.linalg.norm(world.hand(arm).position - world.position(cube)) for arm in world.arms}
    return min(distances, key=lambda arm: float(distances[arm]))
