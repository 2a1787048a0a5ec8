"""Meta-World's pick-place, seen by two cameras, with a second appearance: a hand without an arm over another table.

GLAM knows nothing of this robot. Nothing here is part of it, and what it needs to know goes through recordings.
"""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

os.environ.setdefault("MUJOCO_GL", "egl")  # read by MuJoCo while it is imported

import mujoco
from metaworld.envs.sawyer_pick_place_v3 import SawyerPickPlaceEnvV3

REPEAT = 4
"""Steps of the simulation, of 12.5 ms, that an action lasts."""
FPS = 20
STEPS = 60
"""Actions of an episode at most."""
CAMERAS = {"front": (270.0, -30.0), "side": (180.0, -25.0)}
"""Where each camera stands around the table: azimuth and elevation in degrees."""
_LOOK_AT, _DISTANCE = (0.0, 0.72, 0.12), 0.95
_HAND = ("hand", "rightclaw", "leftclaw", "rightpad", "leftpad")
_GOAL_SIZE = 0.03
JOINTS = tuple(f"right_j{number}" for number in range(7))
_SETTINGS = {"_set_task_called": True, "_freeze_rand_vec": False}
"""Of the environment, so that every episode has another place of puck and goal, by its seed."""


@dataclass(frozen=True)
class Appearance:
    """How the demonstrator appears."""

    has_arm: bool = True
    hand: tuple[float, float, float] | None = None
    """Colour of the hand; None as Meta-World has it."""
    table: tuple[float, float, float] | None = None


ROBOT = Appearance()
HAND_HELD = Appearance(has_arm=False, hand=(0.95, 0.55, 0.1), table=(0.55, 0.6, 0.5))


class MetaWorld:
    """One episode after another; `reset` tells which."""

    def __init__(self, appearance: Appearance = ROBOT, size: int = 96) -> None:
        self._env: Any = SawyerPickPlaceEnvV3()
        for name, value in _SETTINGS.items():
            setattr(self._env, name, value)
        quality = self._env.model.vis.quality
        quality.shadowsize = quality.offsamples = 0  # both take most of the time on a processor
        self._renderer, self._segmenter = (mujoco.Renderer(self._env.model, size, size) for _ in range(2))
        self._segmenter.enable_segmentation_rendering()
        self._cameras = {name: _camera(*place) for name, place in CAMERAS.items()}
        _paint(self._env.model, appearance)

    def reset(self, seed: int) -> None:
        """Another place of the puck and of the goal."""
        self._env.seed(seed)
        self._seen, _ = self._env.reset()
        mujoco.mj_forward(self._env.model, self._env.data)  # the goal moves to its place
        self.is_success = False

    def step(self, action: np.ndarray) -> None:
        """Move the hand by 1 cm x `action[:3]` in each step of the simulation, and its fingers."""
        for _ in range(REPEAT):
            self._seen, _, _, _, info = self._env.step(np.clip(action, -1.0, 1.0).astype(np.float64))
        self.is_success = bool(info["success"])

    @property
    def seen(self) -> np.ndarray:
        """What the scripted policy sees, the goal at its end. (39,)."""
        return np.concatenate([self._seen[:-3], self._env.model.site("goal").pos])

    def close(self) -> None:
        """Give the renderers back, which Python would do too late."""
        self._renderer.close()
        self._segmenter.close()

    def readings(self) -> dict[str, np.ndarray]:
        """What the robot measures, by the names of robomimic."""
        data, quaternion = self._env.data, np.empty(4)
        mujoco.mju_mat2Quat(quaternion, data.body("hand").xmat)
        return {
            "robot0_eef_pos": self._seen[:3].astype(np.float32),
            "robot0_eef_quat": np.roll(quaternion, -1).astype(np.float32),
            "robot0_gripper_qpos": self._seen[3:4].astype(np.float32),
            "robot0_joint_pos": np.array([data.joint(name).qpos[0] for name in JOINTS], np.float32),
        }

    def images(self) -> dict[str, np.ndarray]:
        """What each camera sees. (size, size, 3) each."""
        return {name: self._shown(self._renderer, camera).copy() for name, camera in self._cameras.items()}

    def masks(self) -> dict[str, np.ndarray]:
        """Where each camera sees puck and goal, as the simulator knows it. (size, size, 2) each, 0 or 255."""
        model, found = self._env.model, {}
        wanted = [
            (model.geom("objGeom").id, mujoco.mjtObj.mjOBJ_GEOM),
            (model.site("goal").id, mujoco.mjtObj.mjOBJ_SITE),
        ]
        for name, camera in self._cameras.items():
            numbers = self._shown(self._segmenter, camera)
            inside = [(numbers == (number, int(kind))).all(-1) for number, kind in wanted]
            found[name] = np.where(np.stack(inside, axis=-1), np.uint8(255), np.uint8(0))
        return found

    def _shown(self, renderer: mujoco.Renderer, camera: mujoco.MjvCamera) -> np.ndarray:
        renderer.update_scene(self._env.data, camera)
        return renderer.render()


def _paint(model: Any, appearance: Appearance) -> None:
    model.site_size[model.site("goal").id] = _GOAL_SIZE
    for site in range(model.nsite):
        if model.site(site).name != "goal":
            model.site_rgba[site, 3] = 0.0
    for geom in range(model.ngeom):
        name = model.body(model.geom_bodyid[geom]).name
        if name in {"tablelink", "table"} and appearance.table:
            _colour(model, geom, appearance.table)
        elif name in _HAND:
            if appearance.hand:
                _colour(model, geom, appearance.hand)
        elif _is_arm(model, geom) and not appearance.has_arm:
            model.geom_rgba[geom, 3] = 0.0
            model.geom_matid[geom] = -1


def _is_arm(model: Any, geom: int) -> bool:
    """True for what hangs on the base of the robot."""
    body = int(model.geom_bodyid[geom])
    while body and model.body(body).name != "base":
        body = int(model.body_parentid[body])
    return bool(body)


def _colour(model: Any, geom: int, colour: tuple[float, float, float]) -> None:
    model.geom_matid[geom] = -1
    model.geom_rgba[geom] = (*colour, 1.0)


def _camera(azimuth: float, elevation: float) -> mujoco.MjvCamera:
    camera = mujoco.MjvCamera()
    camera.azimuth, camera.elevation, camera.distance = azimuth, elevation, _DISTANCE
    camera.lookat[:] = _LOOK_AT
    return camera
