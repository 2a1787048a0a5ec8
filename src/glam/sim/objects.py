"""Objects to manipulate. Each function adds one free body with the name of the object."""

import mujoco
import numpy as np

from glam.core.geometry import quaternion_from_rotation, rotation_from_vector, rotation_z
from glam.sim.scene_appearance import Colour

CUBE_SIDE = 0.05
CUBE_MASS = 0.08
BOWL_RADIUS = 0.075
"""Inner radius at the rim."""
BOWL_HEIGHT = 0.045
BOTTLE_HALF_SIZE = (0.029, 0.048, 0.095)
"""YCB object 006, mustard bottle: 58 x 95 x 190 mm (ycbbenchmarks.org object table). x is the thin axis."""
BOTTLE_MASS = 0.603
BOTTLE_FRICTION = 0.181
"""Against the table, the same in every world. A push at height h, at an angle a to the thin axis, tips the bottle when
h cos(a) > half thickness / friction = 16.0 cm; otherwise the bottle slides. Across the wide side this would take 26.5
cm, more than the bottle is high. The pads touch it between 12.5 and 16.5 cm."""

RED: Colour = (0.85, 0.13, 0.12)
BLUE: Colour = (0.12, 0.28, 0.80)
GREEN: Colour = (0.10, 0.60, 0.25)
YELLOW: Colour = (0.88, 0.72, 0.10)

_WALLS = 12


def add_cube(spec: mujoco.MjSpec, name: str, colour: Colour) -> None:
    """A cube of 50 mm."""
    body = _free_body(spec, name)
    body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[CUBE_SIDE / 2] * 3,
        mass=CUBE_MASS,
        rgba=[*colour, 1.0],
        friction=[0.8, 0.01, 0.0005],
        condim=4,
    )


def add_bowl(spec: mujoco.MjSpec, name: str, colour: Colour) -> None:
    """An open bowl: a disc and a ring of walls that lean outwards."""
    body = _free_body(spec, name)
    body.add_geom(
        name=f"{name}_floor",
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[0.055, 0.004, 0.0],
        pos=[0.0, 0.0, 0.004],
        mass=0.15,
        rgba=[*colour, 1.0],
    )
    lean = np.arctan2(BOWL_RADIUS - 0.055, BOWL_HEIGHT)
    middle = (BOWL_RADIUS + 0.055) / 2
    for wall in range(_WALLS):
        angle = 2 * np.pi * wall / _WALLS
        rotation = rotation_z(angle) @ rotation_from_vector(np.array([0.0, lean, 0.0]))
        body.add_geom(
            name=f"{name}_wall_{wall}",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[0.003, np.pi * BOWL_RADIUS / _WALLS, BOWL_HEIGHT / 2],
            pos=[middle * np.cos(angle), middle * np.sin(angle), BOWL_HEIGHT / 2],
            quat=quaternion_from_rotation(rotation),
            mass=0.02,
            rgba=[*colour, 1.0],
        )


def add_bottle(spec: mujoco.MjSpec, name: str) -> None:
    """A mustard bottle: a box for the physics, and a label and cap without contacts."""
    body = _free_body(spec, name)
    body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=BOTTLE_HALF_SIZE,
        mass=BOTTLE_MASS,
        rgba=[0.93, 0.77, 0.10, 1.0],
        friction=[BOTTLE_FRICTION, 0.005, 0.0001],
        priority=1,  # its friction counts on the table; pads have this priority too, so they hold by theirs
    )
    body.add_geom(
        name=f"{name}_label",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[0.0295, 0.034, 0.04],
        pos=[0.0, 0.0, -0.015],
        mass=0.0,
        contype=0,
        conaffinity=0,
        rgba=[0.80, 0.16, 0.10, 1.0],
    )
    body.add_geom(
        name=f"{name}_cap",
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[0.016, 0.012, 0.0],
        pos=[0.0, 0.0, BOTTLE_HALF_SIZE[2] + 0.010],
        mass=0.0,
        contype=0,
        conaffinity=0,
        rgba=[0.93, 0.77, 0.10, 1.0],
    )


def _free_body(spec: mujoco.MjSpec, name: str) -> mujoco.MjsBody:
    body = spec.worldbody.add_body(name=name)
    body.add_freejoint(name=f"{name}_free")
    return body
