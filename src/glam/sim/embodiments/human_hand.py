"""`human-hand`: thumb and index finger of a person, made of capsules, the other fingers curled.

Not a parallel jaw: each finger turns about a knuckle, so that its tip goes along an arc. The last phalanx turns back as
much, so that its soft side stays upright. Lengths are those of an adult's hand. It is carried as `umi` is.
"""

from dataclasses import dataclass

import mujoco
import numpy as np

from glam.sim.embodiments.embodiment import Embodiment, Mount, float_all
from glam.sim.embodiments.umi import OPEN, FloatingHand, add_carriage
from glam.sim.fingertips import Fingertip
from glam.sim.jaw import PAD_CONTACT, TIP_BEYOND_TOOL, set_position_servo

TOOL_OFFSET = 0.17
"""From the wrist to the tool point, in metres."""
_PROXIMAL, _DISTAL = 0.055, 0.050
"""Lengths of the phalanges, in metres; two behind the knuckle count as one."""
_ASIDE = 0.022
"""Half the distance of the fingers' soft sides where the proximal phalanges are upright, in metres."""
_SOFT, _BEHIND = 0.6, 0.0015
"""Radius of the soft side in radii of the finger, and metres by which the bone lies behind its face."""
_KNUCKLES = TOOL_OFFSET + TIP_BEYOND_TOOL - _PROXIMAL - _DISTAL
_SKIN = (0.86, 0.66, 0.54, 1.0)
_SOFT_SIDE = (0.80, 0.58, 0.47, 1.0)
_SLEEVE = (0.16, 0.22, 0.36, 1.0)


@dataclass(frozen=True)
class _Finger:
    side: str
    sign: float
    """Of the side of the tool's y axis on which it is."""
    radius: float


_FINGERS = (_Finger("left", 1.0, 0.0085), _Finger("right", -1.0, 0.0105))
"""Index finger and thumb."""


def add_hand(spec: mujoco.MjSpec, mount: Mount) -> None:
    """Build a floating hand."""
    arm = mount.arm
    wrist = add_carriage(spec, arm, TOOL_OFFSET)
    wrist.add_site(name=f"{arm}_tool", pos=[0.0, 0.0, TOOL_OFFSET])
    _add_palm(wrist)
    for finger in _FINGERS:
        _add_finger(wrist, arm, finger, mount)
    _couple(spec, arm)
    float_all(spec, arm)


def _add_palm(wrist: mujoco.MjsBody) -> None:
    """Palm, curled fingers and forearm: visible, without contacts."""
    ghost = {"type": mujoco.mjtGeom.mjGEOM_CAPSULE, "mass": 0.04, "contype": 0, "conaffinity": 0}

    def capsule(start: tuple[float, ...], end: tuple[float, ...], radius: float, colour: tuple[float, ...]) -> None:
        wrist.add_geom(fromto=[*start, *end], size=[radius, 0, 0], rgba=colour, **ghost)

    capsule((0.0, 0.0, -0.12), (0.0, 0.0, -0.02), 0.030, _SLEEVE)
    for y in (-0.012, 0.016):
        capsule((-0.035, y, 0.015), (-0.035, y, 0.075), 0.020, _SKIN)
        capsule((0.0, y, 0.015), (0.0, y, 0.070), 0.019, _SKIN)
    for number in (1, 2, 3):
        x = -0.020 * number
        capsule((x, 0.034, 0.080), (x, 0.030, 0.110), 0.0085, _SKIN)
        capsule((x, 0.030, 0.110), (x, 0.004, 0.102), 0.0085, _SOFT_SIDE)


def _add_finger(wrist: mujoco.MjsBody, arm: str, finger: _Finger, mount: Mount) -> None:
    """Two phalanges; the soft side of the last one holds, its back slides like any surface."""
    name, y = f"{arm}_{finger.side}_finger", finger.sign * (_ASIDE + finger.radius)
    hinge = {"type": mujoco.mjtJoint.mjJNT_HINGE, "armature": 5e-4, "damping": 0.01}
    collide = {"contype": mount.bits.contype, "conaffinity": mount.bits.conaffinity}
    capsule = {"type": mujoco.mjtGeom.mjGEOM_CAPSULE, "mass": 0.02, **collide}
    outwards = [-finger.sign, 0.0, 0.0]  # turns the finger away from the other one
    bone, pad = [finger.radius, 0, 0], [_SOFT * finger.radius, 0, 0]
    proximal = wrist.add_body(name=name, pos=[0.0, y, _KNUCKLES])
    proximal.add_joint(name=name, axis=outwards, range=[_angle(0.0), _angle(OPEN)], **hinge)
    proximal.add_geom(fromto=[0, 0, 0, 0, 0, _PROXIMAL], size=bone, rgba=_SKIN, **capsule)
    distal = proximal.add_body(name=f"{name}_tip", pos=[0.0, 0.0, _PROXIMAL])
    distal.add_joint(name=f"{name}_tip", axis=outwards, **hinge)
    back, front = finger.sign * _BEHIND, -finger.sign * (1.0 - _SOFT) * finger.radius
    distal.add_geom(fromto=[0, back, 0, 0, back, _DISTAL - bone[0]], size=bone, rgba=_SKIN, **capsule)
    soft = [0, front, 0, 0, front, _DISTAL - pad[0]]
    distal.add_geom(name=f"{name}_pad", fromto=soft, size=pad, rgba=_SOFT_SIDE, **capsule, **PAD_CONTACT)
    distal.add_site(name=f"{arm}_{finger.side}_tip", pos=[0.0, front, _DISTAL])


def _couple(spec: mujoco.MjSpec, arm: str) -> None:
    """Both fingers move alike, their last phalanges against them; the servo acts on the index finger."""
    left, right = (f"{arm}_{finger.side}_finger" for finger in _FINGERS)
    for follower, leader, ratio in ((right, left, 1.0), (f"{left}_tip", left, -1.0), (f"{right}_tip", right, -1.0)):
        coupling = spec.add_equality(
            name=f"{follower}_coupling", type=mujoco.mjtEq.mjEQ_JOINT, name1=follower, name2=leader
        )
        coupling.data[:5] = [0.0, ratio, 0.0, 0.0, 0.0]
        coupling.solref = [0.005, 1.0]
    servo = spec.add_actuator(name=f"{arm}_gripper", target=left, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    set_position_servo(servo, stiffness=2.5, damping=0.2, force=2.2)
    servo.ctrllimited = True
    servo.ctrlrange = [_angle(0.0), _angle(OPEN)]


def _angle(width: float) -> float:
    """Angle (rad) of the proximal phalanges at which the soft sides are `width` metres apart."""
    return float(np.arcsin((width / 2 - _ASIDE) / _PROXIMAL))


def _width(angle: float) -> float:
    """The inverse of `_angle`."""
    return float(2.0 * (_ASIDE + _PROXIMAL * np.sin(angle)))


def _site(model: mujoco.MjModel, name: str) -> Fingertip:
    site = model.site(name)
    return Fingertip(int(model.site_bodyid[site.id]), site.pos.copy())


class HumanHand(FloatingHand):
    """A floating hand of a person."""

    def __init__(self, model: mujoco.MjModel, arm: str) -> None:
        super().__init__(model, arm)
        fingers = [f"{arm}_{finger.side}_finger" for finger in _FINGERS]
        self._fingers = [model.joint(name).qposadr[0] for name in fingers]
        self._tips = [model.joint(f"{name}_tip").qposadr[0] for name in fingers]
        left, right = (_site(model, f"{arm}_{side}_tip") for side in ("left", "right"))
        self.fingertips = left, right

    def _opening(self, data: mujoco.MjData) -> float:
        return float(np.mean([_width(data.qpos[finger]) for finger in self._fingers]) / OPEN)

    def _grip(self, opening: float) -> float:
        return _angle(opening * OPEN)

    def _spread(self, data: mujoco.MjData, opening: float) -> None:
        data.qpos[self._fingers] = _angle(opening * OPEN)
        data.qpos[self._tips] = -_angle(opening * OPEN)


HUMAN_HAND = Embodiment(name="human-hand", add_arm=add_hand, bind_arm=HumanHand, is_labelled=False, first_seed=900_000)
