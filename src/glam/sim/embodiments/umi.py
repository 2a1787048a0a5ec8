"""`umi`, the auxiliary source: a hand-held UMI gripper that floats. It records images, tool pose and opening alone.

It differs from the Kinova's gripper in shape and size: white shell with a camera on top and a handle, soft orange
fingers, and the stroke of MuJoCo Menagerie's umi_gripper model (two fingers of 50 mm travel). Six servos stand for the
person who holds it; they follow a path with less lag than a weld to a moving frame.
"""

from abc import ABC, abstractmethod

import mujoco
import numpy as np

from glam.sim.embodiments.embodiment import POINTING_DOWN, Embodiment, HandPose, Mount, Vector, float_all
from glam.sim.jaw import Jaw, add_jaw, jaw_fingertips, set_position_servo

JAW = Jaw(
    stroke=0.10,
    tool_offset=0.17,
    pad_half_size=(0.008, 0.004, 0.020),
    finger_half_width=0.009,
    palm_half_size=(0.022, 0.070, 0.040),
    palm_colour=(0.93, 0.93, 0.92),
    finger_colour=(0.93, 0.55, 0.12),
    pad_colour=(0.95, 0.62, 0.18),
)
"""The pads are as long as the robot's: a longer one would push the bottle higher, and tip it from more directions."""
_SLIDES = ("x", "y", "z")
_HINGES = ("yaw", "pitch", "roll")
OPEN = 0.085
"""Width to which a demonstrator opens the gripper, in metres: that of the robot, though the fingers could go further.

A width that the robot cannot reach would appear in no demonstration of its own, and would give the source away.
"""


def add_umi(spec: mujoco.MjSpec, mount: Mount) -> None:
    """Build a floating gripper."""
    flange = add_carriage(spec, mount.arm, JAW.tool_offset)
    _add_shell(flange)
    add_jaw(flange, spec, mount.arm, JAW, mount.bits)
    float_all(spec, mount.arm)


def add_carriage(spec: mujoco.MjSpec, arm: str, tool_offset: float) -> mujoco.MjsBody:
    """Body that six servos carry as a person's arm does; returns the flange, `tool_offset` metres behind the tool.

    Its joints are centred on the tool point, so position and rotation do not mix.
    """
    carriage = spec.worldbody.add_body(name=f"{arm}_carriage", gravcomp=1.0)
    for name, axis in zip(_SLIDES, np.identity(3), strict=True):
        carriage.add_joint(name=f"{arm}_{name}", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis, armature=0.5)
        servo = spec.add_actuator(name=f"{arm}_{name}", target=f"{arm}_{name}", trntype=mujoco.mjtTrn.mjTRN_JOINT)
        set_position_servo(servo, stiffness=5000.0, damping=160.0, force=200.0)
    for name, axis in zip(_HINGES, np.identity(3)[::-1], strict=True):
        carriage.add_joint(name=f"{arm}_{name}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis, armature=0.02)
        servo = spec.add_actuator(name=f"{arm}_{name}", target=f"{arm}_{name}", trntype=mujoco.mjtTrn.mjTRN_JOINT)
        set_position_servo(servo, stiffness=150.0, damping=5.0, force=20.0)
    return carriage.add_body(name=f"{arm}_flange", pos=[0, 0, tool_offset], quat=[0.0, 1.0, 0.0, 0.0])


def _add_shell(flange: mujoco.MjsBody) -> None:
    """Camera and handle: visible, without contacts."""
    ghost = {"mass": 0.05, "contype": 0, "conaffinity": 0}
    box = mujoco.mjtGeom.mjGEOM_BOX
    flange.add_geom(type=box, size=[0.020, 0.034, 0.024], pos=[-0.05, 0, 0.02], rgba=[0.08, 0.08, 0.09, 1], **ghost)
    flange.add_geom(
        type=mujoco.mjtGeom.mjGEOM_CAPSULE,
        fromto=[0, 0, 0, 0, 0, -0.11],
        size=[0.018, 0, 0],
        rgba=[0.88, 0.88, 0.87, 1],
        **ghost,
    )


class FloatingHand(ABC):
    """A floating hand bound to a model. Actions: tool position (m), yaw, pitch, roll (rad), gripper command."""

    state_names: tuple[str, ...] = ()
    delta_actions: tuple[str, ...] = ()
    stroke = OPEN
    low = np.array([-1.5, -1.5, -0.1, -np.pi, -np.pi / 2, -np.pi, 0.0])
    high = np.array([1.5, 1.5, 1.5, np.pi, np.pi / 2, np.pi, 1.0])
    speed = np.array([2.0, 2.0, 2.0, 6.0, 6.0, 6.0, 10.0])
    acceleration = np.array([40.0, 40.0, 40.0, 120.0, 120.0, 120.0, 200.0])

    def __init__(self, model: mujoco.MjModel, arm: str) -> None:
        joints = [f"{arm}_{name}" for name in (*_SLIDES, *_HINGES)]
        self.action_names = (*(f"{name}.pos" for name in joints), f"{arm}_gripper.pos")
        self.actuators = np.array([model.actuator(name).id for name in [*joints, f"{arm}_gripper"]])
        self._joints = np.array([model.joint(name).qposadr[0] for name in joints])
        self._site = model.site(f"{arm}_tool").id

    def pose(self, data: mujoco.MjData) -> HandPose:
        """Measured tool pose and opening."""
        rotation = data.site_xmat[self._site].reshape(3, 3).copy()
        return HandPose(data.site_xpos[self._site].copy(), rotation, self._opening(data))

    def state(self, data: mujoco.MjData) -> Vector:  # noqa: ARG002 - the protocol of every arm
        """A hand has no robot state."""
        return np.zeros(0)

    def action_towards(self, target: HandPose, last_action: Vector) -> Vector:
        """Position and hinge angles of the pose; yaw continues from the last action instead of jumping by a turn."""
        angles = hinge_angles(target.rotation)
        angles[0] += 2 * np.pi * np.round((last_action[3] - angles[0]) / (2 * np.pi))
        return np.concatenate([target.position, angles, [target.opening]])

    def controls(self, action: Vector) -> Vector:
        """The action, with the gripper command as a position of the fingers."""
        clipped = np.clip(action, self.low, self.high)
        return np.append(clipped[:6], self._grip(clipped[6]))

    def put(self, data: mujoco.MjData, target: HandPose) -> Vector:
        """Set the joints to `target`, at rest."""
        action = self.action_towards(target, np.zeros(7))
        data.qpos[self._joints] = action[:6]
        self._spread(data, target.opening)
        return action

    @abstractmethod
    def _opening(self, data: mujoco.MjData) -> float:
        """Measured opening, 0 to 1."""

    @abstractmethod
    def _grip(self, opening: float) -> float:
        """Position of the fingers' servo for an opening."""

    @abstractmethod
    def _spread(self, data: mujoco.MjData, opening: float) -> None:
        """Set the joints of the fingers to an opening."""


class UmiHand(FloatingHand):
    """A floating parallel gripper."""

    def __init__(self, model: mujoco.MjModel, arm: str) -> None:
        super().__init__(model, arm)
        self.fingertips = jaw_fingertips(model, arm)
        self._fingers = [model.joint(f"{arm}_{side}_finger").qposadr[0] for side in ("left", "right")]

    def _opening(self, data: mujoco.MjData) -> float:
        return float(data.qpos[self._fingers[0]] / (OPEN / 2))

    def _grip(self, opening: float) -> float:
        return opening * (OPEN / 2)

    def _spread(self, data: mujoco.MjData, opening: float) -> None:
        data.qpos[self._fingers] = opening * OPEN / 2


def hinge_angles(rotation: Vector) -> Vector:
    """Yaw, pitch and roll with rotation = Rz(yaw) Ry(pitch) Rx(roll) * pointing down."""
    r = rotation @ POINTING_DOWN
    return np.array([np.arctan2(r[1, 0], r[0, 0]), np.arcsin(np.clip(-r[2, 0], -1, 1)), np.arctan2(r[2, 1], r[2, 2])])


UMI = Embodiment(name="umi", add_arm=add_umi, bind_arm=UmiHand, is_labelled=False, first_seed=100_000)
