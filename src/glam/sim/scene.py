"""The room of every task: table, lights, cameras, arms and objects, compiled into one MuJoCo model."""

import mujoco
import numpy as np

from glam.core.geometry import looking_at, quaternion_from_rotation
from glam.sim.embodiments.embodiment import Embodiment, Mount
from glam.sim.jaw import CollisionBits
from glam.sim.look import Look
from glam.sim.render import cheap_visuals
from glam.sim.tasks.task import Task

TIMESTEP = 0.004

_LEFT_BITS = CollisionBits(contype=2, conaffinity=1 | 4)
_RIGHT_BITS = CollisionBits(contype=4, conaffinity=1 | 2)
"""Objects and table have bits 1 and 1: each arm meets them and the other arm, never itself."""

MOUNTS = {
    "arm": Mount("arm", (0.0, 0.0, 0.0), _LEFT_BITS),
    # Side by side: facing bases would stand between the front camera and the table.
    "left": Mount("left", (0.0, 0.32, 0.0), _LEFT_BITS),
    "right": Mount("right", (0.0, -0.32, 0.0), _RIGHT_BITS),
}


def build_model(task: Task, embodiment: Embodiment) -> mujoco.MjModel:
    """Compile the scene of one task for one embodiment."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    _set_physics(spec)
    cheap_visuals(spec)
    _add_room(spec, embodiment.look)
    for camera in task.cameras:
        position, target = np.array(camera.position), np.array(camera.target)
        orientation = quaternion_from_rotation(looking_at(position, target))
        spec.worldbody.add_camera(name=camera.name, pos=position, quat=orientation, fovy=camera.fovy)
    task.add_objects(spec)
    _change_objects(spec, task, embodiment)
    for arm in task.arms:
        embodiment.add_arm(spec, MOUNTS[arm])
    return spec.compile()


def _set_physics(spec: mujoco.MjSpec) -> None:
    spec.option.timestep = TIMESTEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0  # friction as stiff as it can be had: a carried cube must not creep


def _add_room(spec: mujoco.MjSpec, look: Look) -> None:
    spec.worldbody.add_geom(
        name="table",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[0.45, 0.60, 0.02],
        pos=[0.35, 0.0, -0.02],
        rgba=[*look.table, 1.0],
    )
    painted = {"type": mujoco.mjtGeom.mjGEOM_PLANE, "contype": 0, "conaffinity": 0, "size": [4.0, 4.0, 1.0]}
    spec.worldbody.add_geom(name="floor", pos=[0, 0, -0.75], rgba=[*look.floor, 1.0], **painted)
    forwards = [np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0]  # turns the plane's normal from up to +x
    spec.worldbody.add_geom(name="wall", pos=[-1.2, 0, 0], quat=forwards, rgba=[*look.backdrop, 1.0], **painted)
    centre = np.array([0.45, 0.0, 0.05])
    key = np.array(look.key_light)
    _add_light(spec, key, centre - key, strength=look.key_strength, ambient=look.ambient)
    fill = np.array([1.4, 0.9, 1.2])
    _add_light(spec, fill, centre - fill, strength=look.fill_strength, ambient=0.0)


def _add_light(
    spec: mujoco.MjSpec, position: np.ndarray, direction: np.ndarray, *, strength: float, ambient: float
) -> None:
    spec.worldbody.add_light(
        pos=position,
        dir=direction / np.linalg.norm(direction),
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        diffuse=[strength] * 3,
        specular=[0.1] * 3,
        ambient=[ambient] * 3,
        castshadow=False,
    )


def _change_objects(spec: mujoco.MjSpec, task: Task, embodiment: Embodiment) -> None:
    """Apply the embodiment's own friction and masses before anything is compiled."""
    for name in task.objects:
        for geom in spec.body(name).geoms:
            geom.friction = geom.friction * embodiment.physics.object_friction
            geom.mass = geom.mass * embodiment.physics.object_mass
