"""An embodiment: a body that is built into a scene, and the same body bound to the compiled model.

docs/add_an_embodiment.md adds one step by step.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple, Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.geometry import six_from_rotation
from glam.data.schema import OPENING_UNIT
from glam.sim.fingertips import Fingertip
from glam.sim.jaw import CollisionBits
from glam.sim.scene_appearance import BRIGHT_ROOM, SceneAppearance
from glam.sim.sensors import PERFECT_CAMERA, CameraNoise

Vector = NDArray[np.float64]
Position = tuple[float, float, float]

COMMAND_RATE = 10
"""Actions per second."""
POINTING_DOWN = np.diag([1.0, -1.0, -1.0])
"""Tool z down, tool x forwards: the gripper closes along the world's y axis."""


class HandPose(NamedTuple):
    """Measured or wanted pose of a tool point: world frame, metres; opening as a fraction of the stroke."""

    position: Vector
    rotation: Vector
    opening: float

    def code(self, stroke: float) -> Vector:
        """The ten numbers of `observation.ee_pose`, for a gripper that opens to `stroke` metres.

        The opening becomes a width, so that grippers of any stroke hold the same object at the same number.
        """
        return np.concatenate([self.position, six_from_rotation(self.rotation), [self.opening * stroke / OPENING_UNIT]])


@dataclass(frozen=True)
class Mount:
    """One arm of a scene: its name, the position of its base (m), and what it collides with."""

    arm: str
    position: Position
    bits: CollisionBits


def float_all(spec: mujoco.MjSpec, arm: str) -> None:
    """Take the weight off all bodies of `arm`: a robot compensates its own, and a hand-held gripper is carried."""
    for body in spec.bodies:
        if body.name.startswith(f"{arm}_"):
            body.gravcomp = 1.0


class Arm(Protocol):
    """One arm bound to a compiled model. An action is a plain vector in the units of `action_names`."""

    action_names: tuple[str, ...]
    """One name for each entry of an action; the gripper is the last one."""
    delta_actions: tuple[str, ...]
    """Those of them that say by how much to move, so that 0 is rest; the others say where to be."""
    state_names: tuple[str, ...]
    actuators: NDArray[np.intp]
    """Ids of the actuators that an action drives, in the order of its entries."""
    low: Vector
    high: Vector
    """Limits of an action; values beyond them are clipped."""
    stroke: float
    """Distance between the pads of the open gripper, in metres."""
    fingertips: tuple[Fingertip, Fingertip]
    """Two points that mean the same on every hand, the ends of its left and of its right finger; left is towards +y of
    the tool frame. Recordings with tracks hold where the cameras see them."""
    speed: Vector
    acceleration: Vector
    """Largest change of a command per second, and per second squared. The safety filter enforces both."""

    def pose(self, data: mujoco.MjData) -> HandPose:
        """Measured tool pose and opening."""

    def state(self, data: mujoco.MjData) -> Vector:
        """Measured robot state, in the order of `state_names`."""

    def action_towards(self, target: HandPose, last_action: Vector) -> Vector:
        """The action that brings the tool to `target`, continuing from the action before."""

    def controls(self, action: Vector) -> Vector:
        """Servo targets of an action, clipped to the limits; called once for each action, in their order."""

    def put(self, data: mujoco.MjData, target: HandPose) -> Vector:
        """Set the joints of `data` so that the tool is at `target`, at rest; return the action that holds it there."""


@dataclass(frozen=True)
class Physics:
    """Factors by which the objects in one embodiment's world differ from the nominal ones."""

    object_friction: float = 1.0
    object_mass: float = 1.0


@dataclass(frozen=True)
class ActionSpace:
    """Other actions of an embodiment than its usual ones."""

    add_arm: Callable[[mujoco.MjSpec, Mount], None]
    bind_arm: Callable[[mujoco.MjModel, str], Arm]
    ending: str
    """Of the names of the entries, by which a recording is told from others."""
    acts_at_once: bool = False
    """Commands hold for a whole control step, as torques do; those of servos move evenly from one to the next."""


USUAL_ACTIONS = "joint-positions"
"""Name of the usual actions of an embodiment that has others."""

SIDE_BY_SIDE: Mapping[str, Position] = MappingProxyType(
    # Two arms face the same way: bases that face each other would stand between the front camera and the table.
    {"arm": (0.0, 0.0, 0.0), "left": (0.0, 0.32, 0.0), "right": (0.0, -0.32, 0.0)}
)
"""Usual base position of every arm that a task may name, in metres."""


@dataclass(frozen=True, eq=False)
class Embodiment:
    """A body that can do the tasks, and the world it is filmed in."""

    name: str
    add_arm: Callable[[mujoco.MjSpec, Mount], None]
    """Builds one arm into a scene. Names of its bodies, joints and actuators begin with `{mount.arm}_`."""
    bind_arm: Callable[[mujoco.MjModel, str], Arm]
    """Finds the arm of this name in the compiled model."""
    is_labelled: bool
    """Recordings hold robot state and actions. A hand-held gripper has neither."""
    first_seed: int
    """First scene of its datasets in `glam bench`. A multiple of 100,000 that no other embodiment has keeps
    their scenes apart; 300,000 and 400,000 are taken by the replays and probes of the bench itself."""
    mounts: Mapping[str, Position] = field(default_factory=lambda: SIDE_BY_SIDE)
    posture: tuple[float, ...] = ()
    """Joint angles (rad) that retargeting starts from and stays near; empty for a body that cannot be retargeted to."""
    appearance: SceneAppearance = BRIGHT_ROOM
    camera_noise: CameraNoise = PERFECT_CAMERA
    latency: int = 0
    """Control steps between an action and the moment it takes effect."""
    physics: Physics = field(default_factory=Physics)
    action_spaces: Mapping[str, ActionSpace] = field(default_factory=dict)
    """Other actions by name; the usual ones are absolute targets."""
    acts_at_once: bool = False
    """As `ActionSpace.acts_at_once`."""

    def acting_by(self, space: str) -> "Embodiment":
        """The same embodiment with the actions of this name."""
        if space == USUAL_ACTIONS and self.action_spaces:
            return self
        if space not in self.action_spaces:
            known = ", ".join((USUAL_ACTIONS, *self.action_spaces)) if self.action_spaces else "its usual ones alone"
            raise GlamError(f"--action-space {space}: {self.name} has {known}")
        other = self.action_spaces[space]
        return replace(self, add_arm=other.add_arm, bind_arm=other.bind_arm, acts_at_once=other.acts_at_once)

    def acting_as(self, action_names: Sequence[str]) -> "Embodiment":
        """The same embodiment with the actions that are called so; as it is where no others are called so."""
        for space, other in self.action_spaces.items():
            if action_names and action_names[0].endswith(other.ending):
                return self.acting_by(space)
        return self
