"""The scene of a task: table, lights, cameras, arms and objects, compiled into one MuJoCo model."""

from collections.abc import Sequence

import mujoco
import numpy as np

from glam.core.errors import GlamError
from glam.core.geometry import looking_at, quaternion_from_rotation
from glam.sim.embodiments.embodiment import Embodiment, Mount
from glam.sim.jaw import CollisionBits
from glam.sim.render import cheap_visuals
from glam.sim.scene_appearance import Light, SceneAppearance
from glam.sim.tasks.task import Task

TIMESTEP = 0.004

_OBJECTS = 1
"""Collision bit of objects and table. Each arm has a bit of its own: it meets objects and other arms, never itself."""


def build_model(task: Task, embodiment: Embodiment) -> mujoco.MjModel:
    """Compile the scene of one task for one embodiment."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    _set_physics(spec)
    cheap_visuals(spec)
    _add_room(spec, embodiment.appearance)
    for camera in task.cameras:
        position, target = np.array(camera.position), np.array(camera.target)
        orientation = quaternion_from_rotation(looking_at(position, target))
        spec.worldbody.add_camera(name=camera.name, pos=position, quat=orientation, fovy=camera.fovy)
    task.add_objects(spec)
    _change_objects(spec, task, embodiment)
    for mount in mounts_of(embodiment, task.arms):
        embodiment.add_arm(spec, mount)
    return spec.compile()


def mounts_of(embodiment: Embodiment, arms: Sequence[str]) -> list[Mount]:
    """Base positions and collision bits of the arms of one scene."""
    unknown = [arm for arm in arms if arm not in embodiment.mounts]
    if unknown:
        known = ", ".join(sorted(embodiment.mounts))
        raise GlamError(f"{embodiment.name} has no mount for an arm {unknown[0]!r}; known are {known}")
    bits = [2 << number for number in range(len(arms))]
    every = _OBJECTS | sum(bits)
    return [
        Mount(arm, embodiment.mounts[arm], CollisionBits(contype=bit, conaffinity=every & ~bit))
        for arm, bit in zip(arms, bits, strict=True)
    ]


def _set_physics(spec: mujoco.MjSpec) -> None:
    spec.option.timestep = TIMESTEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0  # friction as stiff as it can be had: a carried cube must not creep


def _add_room(spec: mujoco.MjSpec, appearance: SceneAppearance) -> None:
    spec.worldbody.add_geom(
        name="table",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[0.45, 0.60, 0.02],
        pos=[0.35, 0.0, -0.02],
        rgba=[*appearance.table, 1.0],
    )
    painted = {"type": mujoco.mjtGeom.mjGEOM_PLANE, "contype": 0, "conaffinity": 0, "size": [4.0, 4.0, 1.0]}
    spec.worldbody.add_geom(name="floor", pos=[0, 0, -0.75], rgba=[*appearance.floor, 1.0], **painted)
    forwards = [np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0]  # turns the plane's normal from up to +x
    spec.worldbody.add_geom(name="wall", pos=[-1.2, 0, 0], quat=forwards, rgba=[*appearance.backdrop, 1.0], **painted)
    for light in appearance.lights:
        _add_light(spec, light)


def _add_light(spec: mujoco.MjSpec, light: Light) -> None:
    spec.worldbody.add_light(
        pos=light.position,
        dir=light.direction,
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        diffuse=[light.strength] * 3,
        specular=[0.1] * 3,
        ambient=[light.ambient] * 3,
        castshadow=False,
    )


def _change_objects(spec: mujoco.MjSpec, task: Task, embodiment: Embodiment) -> None:
    """Apply the embodiment's own friction and masses before anything is compiled.

    An object whose own friction counts in every contact keeps it: whether the bottle tips depends on it.
    """
    for name in task.objects:
        for geom in spec.body(name).geoms:
            if not geom.priority:
                geom.friction = geom.friction * embodiment.physics.object_friction
            geom.mass = geom.mass * embodiment.physics.object_mass
