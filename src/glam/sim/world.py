"""One task done by one embodiment: physics at 250 Hz, control at 10 Hz, observations and success."""

import logging
from collections import deque
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from glam.core.geometry import quaternion_from_rotation, rotation_z
from glam.sim.embodiments.embodiment import COMMAND_RATE, POINTING_DOWN, Embodiment, HandPose, Vector
from glam.sim.fingertips import camera_of, seen_from
from glam.sim.render import Renderer
from glam.sim.scene import TIMESTEP, build_model
from glam.sim.scene_appearance import random_appearance
from glam.sim.sensors import USUAL_CAMERAS, CameraOffset
from glam.sim.tasks.task import Task

_LOG = logging.getLogger(__name__)

CONTROL_RATE = COMMAND_RATE
"""Actions and frames per second."""
_SUBSTEPS = round(1.0 / (CONTROL_RATE * TIMESTEP))

START_RANGE = np.array([0.075, 0.075, 0.05])
"""Largest distance of a gripper's start from its usual place along x, y and z, in metres."""

_PLACEMENT, _EXPERT, _CAMERA, _LOOK, _CAMERA_OFFSET = range(5)
"""Independent random streams of an episode; placement is the same for every embodiment."""
_SHARED_OFFSET = 11
"""Seed of a camera offset that all episodes share."""


class EpisodeFailedError(Exception):
    """The episode cannot go on: a non-finite action, or physics that blew up."""


class Frame(NamedTuple):
    """Observation of one moment."""

    images: NDArray[np.uint8]  # (V, Y, X, 3)
    masks: NDArray[np.uint8]  # (V, Y, X, C)
    ee_pose: NDArray[np.float32]  # (10 K,)
    state: NDArray[np.float32]  # (n_s,), empty for an embodiment without robot state
    ee_tracks: NDArray[np.float32]  # (6 K V,), exact


class World:
    """The simulated world. Call `reset` first. `step` raises `EpisodeFailedError` when the physics breaks.

    With `vary_look` each episode has a table, floor, backdrop and lights of its own; nothing else changes.
    With `camera_offset` the cameras stand elsewhere.
    """

    def __init__(
        self,
        task: Task,
        embodiment: Embodiment,
        image_size: tuple[int, int] = (96, 96),
        *,
        vary_look: bool = False,
        camera_offset: CameraOffset = USUAL_CAMERAS,
    ) -> None:
        mujoco.set_mju_user_warning(_LOG.warning)  # by default MuJoCo writes a file to the working folder
        self.task = task
        self.embodiment = embodiment
        self.image_size = image_size
        self._is_look_varied = vary_look
        self._camera_offset = camera_offset
        self.model = build_model(task, embodiment)
        self.data = mujoco.MjData(self.model)
        self.arms = {arm: embodiment.bind_arm(self.model, arm) for arm in task.arms}
        self._bodies = {name: self.model.body(name).id for name in task.objects}
        self._geom_owner = _geom_owners(self.model, (*task.objects, *task.arms))
        self._actuators = np.concatenate([arm.actuators for arm in self.arms.values()])
        self.starts: dict[str, HandPose] = {}
        """Pose at which each gripper starts this episode."""
        self._camera_ids = [self.model.camera(camera.name).id for camera in task.cameras]
        self._nominal_cameras = self.model.cam_pos.copy(), self.model.cam_mat0.copy()
        names = [camera.name for camera in task.cameras]
        self.renderer = Renderer(self.model, names, image_size, [[self._bodies[name]] for name in task.objects])

    def reset(self, seed: int) -> None:
        """Start episode `seed`: everything random in it is a function of this number."""
        mujoco.mj_resetData(self.model, self.data)
        placement = np.random.default_rng([seed, _PLACEMENT])
        usual = zip(self.task.arms, self.task.starts, strict=True)
        self.starts = {arm: start_pose(np.array(start), placement) for arm, start in usual}
        self.task.place_objects(self, placement)
        actions = [self.arms[arm].put(self.data, start) for arm, start in self.starts.items()]
        self.last_action = np.concatenate(actions)
        controls = self._controls(self.last_action)
        self.data.ctrl[self._actuators] = controls
        self._pending = deque([controls] * self.embodiment.latency)
        camera_rng = np.random.default_rng([seed, _CAMERA])
        self._camera_noise = self.embodiment.camera_noise.draw(len(self._camera_ids), camera_rng)
        self._move_cameras(seed)
        if self._is_look_varied:
            random_appearance(np.random.default_rng([seed, _LOOK])).paint(self.model)
        self.expert_rng = np.random.default_rng([seed, _EXPERT])
        self._streak = 0
        mujoco.mj_forward(self.model, self.data)

    def step(self, action: NDArray[np.floating[Any]]) -> None:
        """Let `action` act for one control period; servo targets move evenly from the old ones to the new."""
        streak, self._streak = self._streak, 0  # an episode that breaks below is no success
        if action.shape != self.last_action.shape or not np.isfinite(action).all():
            raise EpisodeFailedError(f"action must be {len(self.last_action)} finite numbers, got {action!r}")
        self.last_action = action.astype(np.float64)
        self._pending.append(self._controls(self.last_action))
        goal = self._pending.popleft()
        start = goal if self.embodiment.acts_at_once else self.data.ctrl[self._actuators].copy()
        change = goal - start
        for substep in range(1, _SUBSTEPS + 1):
            self.data.ctrl[self._actuators] = start + change * (substep / _SUBSTEPS)
            mujoco.mj_step(self.model, self.data)
        self._fail_on_warnings()
        mujoco.mj_fwdPosition(self.model, self.data)  # mj_step leaves positions one physics step behind
        self._streak = streak + 1 if self.task.is_done(self) else 0

    @property
    def is_success(self) -> bool:
        """True while the goal has held for `hold_steps` steps in a row."""
        return self._streak >= self.task.hold_steps

    def observe(self) -> Frame:
        """Images, masks, poses and state of this moment: everything that a recording may hold."""
        views = self.renderer.render(self.data)
        images = self._camera_noise.apply(views.images)
        return Frame(images, views.masks, self.ee_pose(), self.state(), self.ee_tracks())

    def images(self) -> NDArray[np.uint8]:
        """Camera images alone, (V, Y, X, 3), without the cost of masks."""
        return self._camera_noise.apply(self.renderer.images_only(self.data))

    def ee_pose(self) -> NDArray[np.float32]:
        """`observation.ee_pose` of all arms."""
        return np.concatenate([arm.pose(self.data).code(arm.stroke) for arm in self.arms.values()]).astype(np.float32)

    def ee_tracks(self) -> NDArray[np.float32]:
        """`observation.ee_tracks` of all arms, exact; points that nothing shows keep their true place."""
        cameras = [camera_of(self.model, self.data, camera, self.image_size) for camera in self._camera_ids]
        found = [seen_from(self.model, self.data, cameras, arm.fingertips) for arm in self.arms.values()]
        parts = [np.concatenate([places, seen[..., None]], axis=-1) for places, seen in found]
        return np.stack(parts).ravel().astype(np.float32)

    def state(self) -> NDArray[np.float32]:
        """`observation.state` of all arms."""
        return np.concatenate([arm.state(self.data) for arm in self.arms.values()]).astype(np.float32)

    def action_limits(self) -> tuple[Vector, Vector]:
        """Lowest and highest action of all arms."""
        arms = self.arms.values()
        return np.concatenate([arm.low for arm in arms]), np.concatenate([arm.high for arm in arms])

    def motion_limits(self) -> tuple[Vector, Vector]:
        """Largest speed and acceleration of a command of all arms, per second and per second squared."""
        arms = self.arms.values()
        return np.concatenate([arm.speed for arm in arms]), np.concatenate([arm.acceleration for arm in arms])

    @property
    def action_names(self) -> tuple[str, ...]:
        """Names of the entries of an action, of all arms."""
        return tuple(name for arm in self.arms.values() for name in arm.action_names)

    @property
    def delta_actions(self) -> tuple[str, ...]:
        """Those of them that say by how much to move."""
        return tuple(name for arm in self.arms.values() for name in arm.delta_actions)

    def hand(self, arm: str) -> HandPose:
        """Measured pose of the gripper of one arm."""
        return self.arms[arm].pose(self.data)

    def position(self, name: str) -> Vector:
        """Centre of an object."""
        return self.data.xpos[self._bodies[name]].copy()

    def rotation(self, name: str) -> Vector:
        """Orientation of an object, (3, 3)."""
        return self.data.xmat[self._bodies[name]].reshape(3, 3).copy()

    def is_still(self, name: str) -> bool:
        """Return true if an object moves slower than 2 cm/s and turns slower than 0.3 rad/s."""
        velocity = self.data.qvel[self.model.joint(f"{name}_free").dofadr[0] :][:6]
        return bool(np.linalg.norm(velocity[:3]) < 0.02 and np.linalg.norm(velocity[3:]) < 0.3)

    def touches(self, one: str, other: str) -> bool:
        """Return true if two owners (objects or arms) are in contact."""
        pairs = self._geom_owner[self.data.contact.geom[: self.data.ncon]]  # (n, 2)
        wanted = {self._owner_id(one), self._owner_id(other)}
        return any(set(pair) == wanted for pair in pairs)

    def is_held(self, name: str) -> bool:
        """Return true if any arm touches the object."""
        return any(self.touches(arm, name) for arm in self.arms)

    def put_object(self, name: str, position: tuple[float, float, float], yaw: float) -> None:
        """Place a free object, at rest."""
        address = self.model.joint(f"{name}_free").qposadr[0]
        self.data.qpos[address : address + 3] = position
        self.data.qpos[address + 3 : address + 7] = quaternion_from_rotation(rotation_z(yaw))

    def close(self) -> None:
        """Free the renderer."""
        self.renderer.close()

    def _controls(self, action: Vector) -> Vector:
        parts, start = [], 0
        for arm in self.arms.values():
            parts.append(arm.controls(action[start : start + len(arm.action_names)]))
            start += len(arm.action_names)
        return np.concatenate(parts)

    def _owner_id(self, name: str) -> int:
        return (*self.task.objects, *self.task.arms).index(name)

    def _fail_on_warnings(self) -> None:
        """End the episode when the physics breaks; MuJoCo alone would reset its state silently."""
        times = self.data.warning.number
        if times.any():  # one by one they would take as long as a physics step
            kind = int(times.argmax())
            raise EpisodeFailedError(f"MuJoCo warning {mujoco.mjtWarning(kind).name}, {times[kind]} times")

    def _move_cameras(self, seed: int) -> None:
        positions, orientations = self._nominal_cameras
        rng = np.random.default_rng([seed if self._camera_offset.varies else _SHARED_OFFSET, _CAMERA_OFFSET])
        for view, camera in enumerate(self._camera_ids):
            position, orientation = positions[camera], orientations[camera].reshape(3, 3)
            if self._camera_offset != USUAL_CAMERAS:
                target = np.array(self.task.cameras[view].target)
                position, orientation = self._camera_offset.moved(position, target, rng)
            self.model.cam_pos[camera] = position + self._camera_noise.shifts[view]
            self.model.cam_quat[camera] = quaternion_from_rotation(orientation @ self._camera_noise.turns[view])


def start_pose(usual: Vector, rng: np.random.Generator) -> HandPose:
    """Random start of a gripper around its usual place: pointing down, open, turned by up to 0.2 rad."""
    position = usual + rng.uniform(-START_RANGE, START_RANGE)
    return HandPose(position, rotation_z(rng.uniform(-0.2, 0.2)) @ POINTING_DOWN, 1.0)


def _geom_owners(model: mujoco.MjModel, owners: tuple[str, ...]) -> NDArray[np.intp]:
    """For each geom the number of the object or arm it belongs to, -1 for the room."""
    numbers = np.full(model.ngeom, -1)
    for geom in range(model.ngeom):
        root = model.body(model.body_rootid[model.geom_bodyid[geom]]).name
        for number, owner in enumerate(owners):
            if root == owner or root.startswith(f"{owner}_"):
                numbers[geom] = number
    return numbers
