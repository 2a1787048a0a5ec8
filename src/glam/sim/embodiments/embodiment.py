"""What an embodiment is: a body built into a scene, and the same body bound to the compiled model."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from glam.core.geometry import six_from_rotation
from glam.data.schema import OPENING_UNIT
from glam.sim.jaw import CollisionBits
from glam.sim.look import STUDIO, Look
from glam.sim.sensor import PERFECT_SENSOR, Sensor

Vector = NDArray[np.float64]

POINTING_DOWN = np.diag([1.0, -1.0, -1.0])
"""Tool z down, tool x forwards: the hand closes along the world's y axis."""


class HandPose(NamedTuple):
    """Where a tool point is, or should be: world frame, metres; opening as a fraction of the stroke."""

    position: Vector
    rotation: Vector
    opening: float

    def code(self, stroke: float) -> Vector:
        """The ten numbers of `observation.ee_pose`, of a hand that opens as far as `stroke`, in metres.

        The opening becomes a width: hands of any stroke then hold the same thing at the same number.
        """
        return np.concatenate([self.position, six_from_rotation(self.rotation), [self.opening * stroke / OPENING_UNIT]])


@dataclass(frozen=True)
class Mount:
    """One arm of a scene: its name, where its base stands, and what it collides with."""

    arm: str
    position: tuple[float, float, float]
    bits: CollisionBits


def float_all(spec: mujoco.MjSpec, arm: str) -> None:
    """Take the weight off all bodies of `arm`: a real one compensates its own, and a hand-held gripper is carried."""
    for body in spec.bodies:
        if body.name.startswith(f"{arm}_"):
            body.gravcomp = 1.0


class Arm(Protocol):
    """One arm bound to a compiled model. An action is a plain vector in the units of `action_names`."""

    action_names: tuple[str, ...]
    state_names: tuple[str, ...]
    actuators: NDArray[np.intp]
    """Ids of the actuators that an action drives, in the order of its entries."""
    low: Vector
    high: Vector
    """Limits of an action; what lies beyond is cut off."""
    stroke: float
    """Distance between the pads of the open hand, in metres."""
    speed: Vector
    acceleration: Vector
    """Most that a command may change per second, and per second squared: for whoever guards the robot."""

    def pose(self, data: mujoco.MjData) -> HandPose:
        """Measured tool pose and opening."""

    def state(self, data: mujoco.MjData) -> Vector:
        """Measured robot state, in the order of `state_names`."""

    def action_towards(self, target: HandPose, last_action: Vector) -> Vector:
        """The action that brings the hand to `target`, continuing from the action before."""

    def controls(self, action: Vector) -> Vector:
        """Servo targets of an action, cut off at the limits."""

    def put(self, data: mujoco.MjData, target: HandPose) -> Vector:
        """Set the joints of `data` so that the hand is at `target`, at rest; return the action that holds it there."""


@dataclass(frozen=True)
class Physics:
    """Departures of one embodiment's world from the nominal one, as factors."""

    object_friction: float = 1.0
    object_mass: float = 1.0


@dataclass(frozen=True)
class Embodiment:
    """A body that can do the tasks, and the world it is seen in."""

    name: str
    add_arm: Callable[[mujoco.MjSpec, Mount], None]
    bind_arm: Callable[[mujoco.MjModel, str], Arm]
    is_labelled: bool
    """Whether its recordings hold robot state and actions. A hand-held gripper has neither."""
    look: Look = STUDIO
    sensor: Sensor = PERFECT_SENSOR
    latency: int = 0
    """Control steps between an action and the moment it takes effect."""
    physics: Physics = field(default_factory=Physics)
