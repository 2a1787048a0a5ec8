"""`kinova`, the target robot: a 7-DoF Kinova Gen3 with a parallel jaw, built from primitive shapes.

Link offsets, masses, centres of mass, inertias and joint limits are those of Kinova's published robot description
(Kinovarobotics/ros2_kortex, kortex_description/arms/gen3/7dof); servo gains and force limits are those of MuJoCo
Menagerie's kinova_gen3 model. Speed limits: Gen3 user guide (EN-UG-014), actuator specifications.
"""

from dataclasses import dataclass, replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from glam.sim.embodiments.action_spaces import JointTorques, JointVelocities, ToolDeltas
from glam.sim.embodiments.embodiment import ActionSpace, Arm, Embodiment, HandPose, Mount, Vector, float_all
from glam.sim.inverse_kinematics import InverseKinematics, SolverConfig
from glam.sim.jaw import Jaw, add_jaw, jaw_fingertips, set_position_servo, set_torque_drive
from glam.sim.scene_appearance import Colour

_TURN_X = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)
_BACK_X = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)
_FLIP_X = (0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True)
class _Link:
    """A link in the frame of its joint, which turns about z."""

    name: str
    position: tuple[float, float, float]
    quaternion: tuple[float, float, float, float]
    mass: float
    centre: tuple[float, float, float]
    inertia: tuple[float, float, float]
    end: tuple[float, float, float]
    """Position of the next joint: the shape of the link is a capsule from the origin to here."""
    radius: float
    limit: float = np.inf
    """The joint turns within +-limit; Gen3 joints 1, 3, 5 and 7 turn freely."""


# fmt: off
_LINKS = (
    _Link("shoulder", (0, 0, 0.15643), _FLIP_X, 1.3773, (-2.3e-5, -0.010364, -0.07336),
          (0.00488868, 0.00457, 0.00135132), (0, 0.005375, -0.12838), 0.046),
    _Link("half_arm_1", (0, 0.005375, -0.12838), _TURN_X, 1.1636, (-4.4e-5, -0.09958, -0.013278),
          (0.0113017, 0.00102532, 0.011088), (0, -0.21038, -0.006375), 0.044, 2.24),
    _Link("half_arm_2", (0, -0.21038, -0.006375), _BACK_X, 1.1636, (-4.4e-5, -0.006641, -0.117892),
          (0.0111633, 0.010932, 0.00100671), (0, 0.006375, -0.21038), 0.044),
    _Link("forearm", (0, 0.006375, -0.21038), _TURN_X, 0.9302, (-1.8e-5, -0.075478, -0.015006),
          (0.00834839, 0.000598606, 0.008147), (0, -0.20843, -0.006375), 0.042, 2.57),
    _Link("wrist_1", (0, -0.20843, -0.006375), _BACK_X, 0.6781, (1e-6, -0.009432, -0.063883),
          (0.00165901, 0.001596, 0.000346988), (0, 0.000175, -0.10593), 0.036),
    _Link("wrist_2", (0, 0.000175, -0.10593), _TURN_X, 0.6781, (1e-6, -0.045483, -0.00965),
          (0.00170087, 0.00035013, 0.001641), (0, -0.10593, -0.000175), 0.036, 2.09),
    _Link("bracelet", (0, -0.10593, -0.000175), _BACK_X, 0.5, (0.000281, 0.011402, -0.029798),
          (0.000657336, 0.000587019, 0.000320645), (0, 0, -0.061525), 0.038),
)
# fmt: on
_FLANGE = (0.0, 0.0, -0.061525)

READY = np.array([0.0, 0.536, np.pi, -1.762, 0.0, -0.844, 0.0])
"""Tool pointing down over the middle of the work area, elbow up, arm in one vertical plane. The inverse kinematics
stays near this posture, so that joint commands are a function of the tool pose."""
SPEED_LIMITS = np.array([1.3963, 1.3963, 1.3963, 1.3963, 1.2218, 1.2218, 1.2218])
"""rad/s: 80 degrees/s for the large actuators, 70 for the small ones."""
_PER_COMMAND = SolverConfig(max_step=float(SPEED_LIMITS.min()) / 10)
"""At ten commands per second no joint is asked to turn faster than it can."""

ROBOTIQ_85 = Jaw(
    stroke=0.085,
    tool_offset=0.15,
    pad_half_size=(0.011, 0.005, 0.020),
    finger_half_width=0.010,
    palm_half_size=(0.030, 0.052, 0.045),
    palm_colour=(0.16, 0.16, 0.17),
    finger_colour=(0.25, 0.25, 0.27),
    pad_colour=(0.08, 0.08, 0.09),
)
"""Stroke of the Robotiq 2F-85 that Kinova sells with the arm."""


@dataclass(frozen=True)
class KinovaModel:
    """Parts that may differ between two Kinovas: colours, servos and gripper."""

    shell: Colour = (0.82, 0.83, 0.84)
    joints: Colour = (0.13, 0.14, 0.15)
    servo_strength: float = 1.0
    """Factor on the stiffness of the joint servos; damping stays, so a weaker servo follows further behind."""
    gripper: Jaw = ROBOTIQ_85
    takes_torques: bool = False
    """The joints' actuators take torques, which their damping reduces, instead of angles."""

    def add_arm(self, spec: mujoco.MjSpec, mount: Mount) -> None:
        """Build one arm into the scene."""
        collide = {"contype": mount.bits.contype, "conaffinity": mount.bits.conaffinity}
        body = spec.worldbody.add_body(name=f"{mount.arm}_base", pos=mount.position)
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_CYLINDER,
            fromto=[0, 0, 0, 0, 0, 0.13],
            size=[0.05, 0, 0],
            rgba=[*self.joints, 1.0],
            mass=1.697,
            **collide,
        )
        for number, link in enumerate(_LINKS, start=1):
            body = self._add_link(body, f"{mount.arm}_{link.name}", f"{mount.arm}_joint_{number}", link, collide)
            self._add_servo(spec, f"{mount.arm}_joint_{number}", is_large=number <= 4)
        flange = body.add_body(name=f"{mount.arm}_flange", pos=_FLANGE, quat=_FLIP_X)
        add_jaw(flange, spec, mount.arm, self.gripper, mount.bits)
        float_all(spec, mount.arm)

    def _add_link(
        self, parent: mujoco.MjsBody, name: str, joint: str, link: _Link, collide: dict[str, int]
    ) -> mujoco.MjsBody:
        body = parent.add_body(
            name=name,
            pos=link.position,
            quat=link.quaternion,
            explicitinertial=True,
            mass=link.mass,
            ipos=link.centre,
            inertia=link.inertia,
        )
        is_limited = bool(np.isfinite(link.limit))
        limits = [-link.limit, link.limit] if is_limited else [0.0, 0.0]
        body.add_joint(name=joint, axis=[0, 0, 1], limited=is_limited, range=limits, armature=0.02)
        capsule = {"type": mujoco.mjtGeom.mjGEOM_CAPSULE, "size": [link.radius, 0, 0], "mass": 0.0}
        body.add_geom(fromto=[0, 0, 0, *link.end], rgba=[*self.shell, 1.0], **capsule, **collide)
        ring = {"type": mujoco.mjtGeom.mjGEOM_CYLINDER, "size": [link.radius * 1.06, 0.018, 0], "mass": 0.0}
        body.add_geom(rgba=[*self.joints, 1.0], contype=0, conaffinity=0, **ring)
        return body

    def _add_servo(self, spec: mujoco.MjSpec, joint: str, *, is_large: bool) -> None:
        servo = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        stiffness, damping, force = (2000.0, 100.0, 105.0) if is_large else (500.0, 50.0, 52.0)
        if self.takes_torques:
            set_torque_drive(servo, damping=damping, force=force)
            return
        set_position_servo(servo, stiffness=stiffness * self.servo_strength, damping=damping, force=force)


_ACCELERATION_LIMITS = np.array([14.0, 14.0, 14.0, 14.0, 14.0, 14.0, 25.0])
"""rad/s^2. Above every command of the experts, jolts included."""
_DAMPING = np.array([100.0, 100.0, 100.0, 100.0, 50.0, 50.0, 50.0])
"""N m s/rad, of the joint servos."""
_ROUNDING = 1.001
"""Commands are stored in single precision; rounding may take the fastest slightly beyond its limit."""


class KinovaArm:
    """A Gen3 bound to a model. Actions: seven absolute joint targets (rad) and a gripper command (0 shut, 1 open)."""

    delta_actions: tuple[str, ...] = ()

    def __init__(self, model: mujoco.MjModel, arm: str, gripper: Jaw = ROBOTIQ_85) -> None:
        self.stroke = gripper.stroke
        joints = [f"{arm}_joint_{number}" for number in range(1, 8)]
        self.action_names = (*(f"{name}.pos" for name in joints), f"{arm}_gripper.pos")
        self.state_names = self.action_names
        self.actuators = np.array([model.actuator(name).id for name in [*joints, f"{arm}_gripper"]])
        self._joints: NDArray[np.intp] = np.array([model.joint(name).qposadr[0] for name in joints])
        self._fingers = [model.joint(f"{arm}_{side}_finger").qposadr[0] for side in ("left", "right")]
        self._site = model.site(f"{arm}_tool").id
        self.fingertips = jaw_fingertips(model, arm)
        self._reach = InverseKinematics(model, f"{arm}_tool", joints, READY)
        self._follow = InverseKinematics(model, f"{arm}_tool", joints, READY, _PER_COMMAND)
        self.high = np.append(np.minimum([link.limit for link in _LINKS], 2 * np.pi), 1.0)
        self.low = np.append(-self.high[:7], 0.0)
        self._action_to_servo = np.append(np.ones(7), self.stroke / 2)
        self.speed = np.append(SPEED_LIMITS * _ROUNDING, 10.0)
        self.acceleration = np.append(_ACCELERATION_LIMITS, 200.0)

    def pose(self, data: mujoco.MjData) -> HandPose:
        """Measured tool pose and opening."""
        rotation = data.site_xmat[self._site].reshape(3, 3).copy()
        return HandPose(data.site_xpos[self._site].copy(), rotation, self._opening(data))

    def state(self, data: mujoco.MjData) -> Vector:
        """Joint angles and opening."""
        return np.append(data.qpos[self._joints], self._opening(data))

    def action_towards(self, target: HandPose, last_action: Vector) -> Vector:
        """Inverse kinematics, started from the last joint targets; a target too far away is approached."""
        joints = self._follow.solve(target.position, target.rotation, last_action[:7])
        return np.append(joints, target.opening)

    def controls(self, action: Vector) -> Vector:
        """Joint targets, and the gripper command as a finger position."""
        return np.clip(action, self.low, self.high) * self._action_to_servo

    def put(self, data: mujoco.MjData, target: HandPose) -> Vector:
        """Set the joints to `target`, at rest."""
        action = np.append(self._reach.solve(target.position, target.rotation, READY), target.opening)
        data.qpos[self._joints] = action[:7]
        data.qpos[self._fingers] = target.opening * self.stroke / 2
        return action

    def _opening(self, data: mujoco.MjData) -> float:
        return float(data.qpos[self._fingers[0]] / (self.stroke / 2))


def other_actions(model: KinovaModel) -> dict[str, ActionSpace]:
    """Action spaces beside joint positions."""
    driven = replace(model, takes_torques=True)

    def velocities(bound: mujoco.MjModel, arm: str) -> Arm:
        return JointVelocities(KinovaArm(bound, arm, model.gripper))

    def deltas(bound: mujoco.MjModel, arm: str) -> Arm:
        return ToolDeltas(KinovaArm(bound, arm, model.gripper))

    def torques(bound: mujoco.MjModel, arm: str) -> Arm:
        return JointTorques(KinovaArm(bound, arm, model.gripper), _DAMPING)

    return {
        "joint-velocities": ActionSpace(model.add_arm, velocities, ".vel"),
        "tool-deltas": ActionSpace(model.add_arm, deltas, ".delta"),
        "joint-torques": ActionSpace(driven.add_arm, torques, ".torque", acts_at_once=True),
    }


KINOVA = Embodiment(
    name="kinova",
    add_arm=KinovaModel().add_arm,
    bind_arm=KinovaArm,
    is_labelled=True,
    first_seed=0,
    posture=tuple(READY),
    action_spaces=other_actions(KinovaModel()),
)
