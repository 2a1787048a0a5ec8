"""A parallel jaw: two fingers on slides, coupled, driven by one force-limited servo.

Tool frame of every gripper: origin between the pads, `TIP_BEYOND_TOOL` before the finger tips; z points along the
approach (out of the palm), y along the closing direction. The opening is the fraction of the full stroke.
"""

from dataclasses import dataclass

import mujoco
import numpy as np

from glam.sim.fingertips import Fingertip
from glam.sim.scene_appearance import Colour

TIP_BEYOND_TOOL = 0.018

PAD_CONTACT = {
    # Ranked by slip while a cube is carried; success saturates for nearly every setting.
    "friction": [1.2, 0.02, 0.0005],
    "condim": 4,
    "priority": 1,
    "solref": [0.01, 1.0],
    "solimp": [0.95, 0.99, 0.001, 0.5, 2.0],
}


@dataclass(frozen=True)
class Jaw:
    """Dimensions of a parallel jaw, in metres."""

    stroke: float
    """Distance between the pads when fully open."""
    tool_offset: float
    """From the flange to the tool point, along z."""
    pad_half_size: tuple[float, float, float]
    """Half width (x), half thickness (y) and half length (z) of a pad."""
    finger_half_width: float
    palm_half_size: tuple[float, float, float]
    palm_colour: Colour
    finger_colour: Colour
    pad_colour: Colour
    force: float = 40.0
    """Largest force of the servo, in newtons."""


@dataclass(frozen=True)
class CollisionBits:
    """MuJoCo's collision filter of one arm, which never collides with itself."""

    contype: int
    conaffinity: int


def add_jaw(body: mujoco.MjsBody, spec: mujoco.MjSpec, arm: str, jaw: Jaw, bits: CollisionBits) -> None:
    """Add palm, fingers, tool site, coupling and servo of `arm` to its flange `body` (z out of the flange)."""
    collide = {"contype": bits.contype, "conaffinity": bits.conaffinity}
    palm_z = jaw.palm_half_size[2]
    body.add_geom(
        name=f"{arm}_palm",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=jaw.palm_half_size,
        pos=[0.0, 0.0, palm_z],
        rgba=[*jaw.palm_colour, 1.0],
        mass=0.5,
        **collide,
    )
    body.add_site(name=f"{arm}_tool", pos=[0.0, 0.0, jaw.tool_offset])
    for side, sign in (("left", 1.0), ("right", -1.0)):
        _add_finger(body, f"{arm}_{side}_finger", sign, jaw, collide)
    _couple(spec, arm, jaw)


def _add_finger(body: mujoco.MjsBody, name: str, sign: float, jaw: Jaw, collide: dict[str, int]) -> None:
    """One finger; its joint is the distance from the middle plane to the pad's face."""
    _, pad_y, pad_z = jaw.pad_half_size
    tip = jaw.tool_offset + TIP_BEYOND_TOOL
    finger = body.add_body(name=name)
    finger.add_joint(
        name=name,
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=[0.0, sign, 0.0],
        range=[0.0, jaw.stroke / 2],
        armature=0.05,
    )
    root = 2 * jaw.palm_half_size[2] - 0.005
    length = (tip - 0.6 * pad_z - root) / 2  # the link ends behind the pad, so the pad reaches out alone
    finger.add_geom(
        name=f"{name}_link",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[jaw.finger_half_width, 0.006, length],
        pos=[0.0, sign * (2 * pad_y + 0.006), root + length],
        rgba=[*jaw.finger_colour, 1.0],
        mass=0.05,
        **collide,
    )
    finger.add_geom(
        name=f"{name}_pad",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=jaw.pad_half_size,
        pos=[0.0, sign * pad_y, tip - pad_z],
        rgba=[*jaw.pad_colour, 1.0],
        mass=0.03,
        **PAD_CONTACT,
        **collide,
    )


def jaw_fingertips(model: mujoco.MjModel, arm: str) -> tuple[Fingertip, Fingertip]:
    """The ends of both pads of a compiled jaw: left, then right."""
    left, right = (_end(model, f"{arm}_{side}_finger") for side in ("left", "right"))
    return left, right


def _end(model: mujoco.MjModel, name: str) -> Fingertip:
    pad = model.geom(f"{name}_pad").id
    return Fingertip(model.body(name).id, model.geom_pos[pad] + np.array([0.0, 0.0, model.geom_size[pad][2]]))


def _couple(spec: mujoco.MjSpec, arm: str, jaw: Jaw) -> None:
    """Couple both fingers; the servo acts on the left one."""
    left, right = f"{arm}_left_finger", f"{arm}_right_finger"
    coupling = spec.add_equality(name=f"{arm}_coupling", type=mujoco.mjtEq.mjEQ_JOINT, name1=left, name2=right)
    coupling.data[:5] = [0.0, 1.0, 0.0, 0.0, 0.0]
    coupling.solref = [0.005, 1.0]
    servo = spec.add_actuator(name=f"{arm}_gripper", target=left, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    set_position_servo(servo, stiffness=400.0, damping=40.0, force=jaw.force)
    servo.ctrllimited = True
    servo.ctrlrange = [0.0, jaw.stroke / 2]


def set_position_servo(servo: mujoco.MjsActuator, *, stiffness: float, damping: float, force: float) -> None:
    """Make an actuator a servo: force = stiffness (target - position) - damping velocity, within +-force."""
    servo.gaintype = mujoco.mjtGain.mjGAIN_FIXED
    servo.biastype = mujoco.mjtBias.mjBIAS_AFFINE
    servo.gainprm[0] = stiffness
    servo.biasprm[1:3] = [-stiffness, -damping]
    servo.forcelimited = True
    servo.forcerange = [-force, force]


def set_torque_drive(drive: mujoco.MjsActuator, *, damping: float, force: float) -> None:
    """Make an actuator a damped drive: force = command - damping velocity, within +-force."""
    drive.gaintype = mujoco.mjtGain.mjGAIN_FIXED
    drive.biastype = mujoco.mjtBias.mjBIAS_AFFINE
    drive.gainprm[0] = 1.0
    drive.biasprm[1:3] = [0.0, -damping]
    drive.forcelimited = True
    drive.forcerange = [-force, force]
