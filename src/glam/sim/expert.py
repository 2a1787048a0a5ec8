"""The scripted expert: smooth motion through waypoints, gripping, and recovery from small disturbances.

Motion is a superposition of minimum-jerk submovements, one per waypoint, each starting before the last has ended: the
hand turns corners without stopping, as a person's does.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from glam.core.errors import GlamError
from glam.core.geometry import rotation_from_vector, rotation_z, vector_from_rotation
from glam.sim.embodiments.embodiment import HandPose, Vector

_ARRIVED = 0.003
"""Distance between gripper and target at which the gripper has arrived, in metres."""
_MOST_SETTLING_STEPS = 10
_SHORTEST = 0.3
"""Duration of the shortest submovement, in seconds."""

Route = Callable[[], Sequence[HandPose]]
"""Waypoints of a movement, worked out when it starts and again after a disturbance."""


@dataclass(frozen=True)
class Disturbance:
    """Jolts during free movements, from which the expert recovers. What happened is recorded as it happened."""

    probability: float = 0.05
    """Of a jolt in each control step of a free movement; 0 switches them off."""
    position: float = 0.012
    """Standard deviation of a jolt, in metres."""
    angle: float = 0.08
    """Standard deviation of a jolt about the vertical, in radians."""
    steps: int = 2
    """Control steps over which a jolt acts."""
    most: int = 4
    """Most jolts in one movement, so that every movement ends."""
    misses: float = 0.0
    """Probability that the first grasp misses the object; the expert notices, and grasps again."""

    def __post_init__(self) -> None:
        """Refuse what is not a probability."""
        for flag, value in (("--disturbances", self.probability), ("--misses", self.misses)):
            if not 0.0 <= value <= 1.0:
                raise GlamError(f"{flag} {value}: a probability lies between 0 and 1")


@dataclass(frozen=True)
class MotionStyle:
    """Speed, timing and approach of the expert in one episode."""

    speed: float
    """Mean speed of a submovement, in m/s."""
    turning: float
    """Mean angular speed of a submovement, in rad/s."""
    overlap: float
    """Share of a submovement that is still to come when the next one starts."""
    hover: float
    """Height above the goal through which the gripper arrives and leaves, in metres."""
    approach: Vector
    """Sideways offset of the hover point, in metres (x, y)."""
    grasp_offset: float
    """Distance of the grasp from the object's centre, along the fingers' width, in metres."""

    @staticmethod
    def draw(rng: np.random.Generator) -> "MotionStyle":
        """Varied timing and approach."""
        return MotionStyle(
            speed=rng.uniform(0.15, 0.23),
            turning=rng.uniform(0.35, 0.55),
            overlap=rng.uniform(0.15, 0.35),
            hover=rng.uniform(0.07, 0.11),
            approach=rng.uniform(-0.015, 0.015, 2),
            grasp_offset=rng.uniform(-0.008, 0.008),
        )


@dataclass(frozen=True)
class MissedGrasp:
    """A grasp that fails: the fingers close beside the object or above it, and the gripper leaves without it."""

    side: float
    """Distance from the object's centre at which the fingers close, along their width, in metres."""
    height: float
    """Distance above the usual height at which they close, in metres."""
    rise: float
    """Distance that the empty gripper rises, in metres."""
    share: float
    """Share of the way to where the object was to go, after which the expert notices."""

    @staticmethod
    def draw(rng: np.random.Generator) -> "MissedGrasp":
        """Random values. Two in three close beside the object; nearer than this the fingers would hold a cube."""
        is_above = rng.random() < 1 / 3
        beside = rng.uniform(0.038, 0.06) * rng.choice((-1.0, 1.0))
        return MissedGrasp(
            side=rng.uniform(-0.01, 0.01) if is_above else beside,
            height=rng.uniform(0.042, 0.06) if is_above else 0.0,
            rise=rng.uniform(0.04, 0.10),
            share=rng.uniform(0.0, 1.0),
        )


class Expert:
    """Movements of one arm's gripper. Methods yield one target per control step; `at` is the last one."""

    def __init__(
        self, measured: Callable[[], HandPose], rng: np.random.Generator, disturbance: Disturbance, rate: int
    ) -> None:
        self.at = measured()._replace(opening=1.0)
        self.style = MotionStyle.draw(rng)
        self._measured = measured
        self._rng = rng
        self._disturbance = disturbance
        self._rate = rate

    def move(self, route: Route, *, pace: float = 1.0) -> Iterator[HandPose]:
        """Go through the waypoints of `route`, at a share `pace` of the usual speed.

        The hand may be jolted until the last submovement begins.
        """
        style = replace(self.style, speed=self.style.speed * pace)
        path = Path(self.at, route(), style, self._rate)
        step, jolts = 0, 0
        while step < path.steps:
            step += 1
            self.at = path.pose(step)
            yield self.at
            is_free = step < path.last_start and jolts < self._disturbance.most
            if is_free and self._rng.random() < self._disturbance.probability:
                yield from self._jolt()
                path = Path(self.at, route(), style, self._rate)
                step, jolts = 0, jolts + 1

    def approach(self, goal: Callable[[], HandPose]) -> Iterator[HandPose]:
        """Arrive at `goal` from above, and be there before going on."""
        yield from self.move(lambda: [self.above(goal()), goal()])
        yield from self.settle()

    def settle(self) -> Iterator[HandPose]:
        """Wait until the gripper has followed: servos lag, and some more than others."""
        for _ in range(_MOST_SETTLING_STEPS):
            if np.linalg.norm(self._measured().position - self.at.position) < _ARRIVED:
                return
            yield self.at

    def grip(self, opening: float, *, steps: int = 4, settle: int = 3) -> Iterator[HandPose]:
        """Open or close to `opening` and wait until the fingers have followed."""
        start = self.at.opening
        for step in range(1, steps + 1):
            self.at = self.at._replace(opening=start + (opening - start) * step / steps)
            yield self.at
        yield from self.wait(settle)

    def wait(self, steps: int) -> Iterator[HandPose]:
        """Stand still."""
        for _ in range(steps):
            yield self.at

    def next_missed_grasp(self) -> MissedGrasp | None:
        """The way in which the next grasp fails, or None if it succeeds."""
        if self._disturbance.misses == 0.0:  # no random number is drawn then: other demonstrations stay the same
            return None
        return MissedGrasp.draw(self._rng) if self._rng.random() < self._disturbance.misses else None

    def above(self, goal: HandPose) -> HandPose:
        """The hover point of `goal`, a little to the side in this episode's style; the opening stays as it is."""
        offset = np.array([*self.style.approach, self.style.hover])
        return HandPose(goal.position + offset, goal.rotation, self.at.opening)

    def raised(self, height: float) -> HandPose:
        """Straight up from where the gripper is."""
        return self.at._replace(position=self.at.position + np.array([0.0, 0.0, height]))

    def _jolt(self) -> Iterator[HandPose]:
        push = self._rng.normal(0.0, self._disturbance.position, 3)
        push[2] = abs(push[2])  # upwards only: a jolt must not drive the fingers into the table
        turn = self._rng.normal(0.0, self._disturbance.angle)
        start = self.at
        for step in range(1, self._disturbance.steps + 1):
            share = step / self._disturbance.steps
            rotation = rotation_z(turn * share) @ start.rotation
            self.at = HandPose(start.position + push * share, rotation, start.opening)
            yield self.at


class Path:
    """Overlapping minimum-jerk submovements from `start` through `waypoints`."""

    def __init__(self, start: HandPose, waypoints: Sequence[HandPose], style: MotionStyle, rate: int) -> None:
        self._start = start
        self._legs: list[tuple[float, float, Vector, Vector, float]] = []  # begin, duration, shift, turn, opening
        begin, before = 0.0, start
        for after in waypoints:
            shift = after.position - before.position
            turn = vector_from_rotation(after.rotation @ before.rotation.T)
            distance, angle = float(np.linalg.norm(shift)), float(np.linalg.norm(turn))
            duration = max(distance / style.speed, angle / style.turning, _SHORTEST) * rate
            self._legs.append((begin, duration, shift, turn, after.opening - before.opening))
            begin, before = begin + duration * (1.0 - style.overlap), after
        self.last_start = self._legs[-1][0]
        self.steps = int(np.ceil(max(begin + duration for begin, duration, *_ in self._legs)))

    def pose(self, step: int) -> HandPose:
        """Target at control step `step`; exact at the last one."""
        position, rotation, opening = self._start.position.copy(), self._start.rotation, self._start.opening
        for begin, duration, shift, turn, change in self._legs:
            share = minimum_jerk((step - begin) / duration)
            position = position + share * shift
            rotation = rotation_from_vector(share * turn) @ rotation
            opening = opening + share * change
        return HandPose(position, rotation, float(np.clip(opening, 0.0, 1.0)))


def minimum_jerk(u: float) -> float:
    """Position on a unit movement at time u in [0, 1] with zero speed and acceleration at both ends."""
    u = min(max(u, 0.0), 1.0)
    return u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
