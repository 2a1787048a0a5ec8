"""Gymnasium-Robotics' Fetch pick-and-place, seen by two cameras, with a second appearance: a hand without an arm.

GLAM knows nothing of this robot. Nothing here is part of it, and what it needs to know goes through LeRobot datasets.
"""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

os.environ.setdefault("MUJOCO_GL", "egl")  # read by MuJoCo while it is imported

import gymnasium
import gymnasium_robotics
import mujoco

FPS = 25
STEPS = 100
"""Steps of an episode at most."""
CAMERAS = {"front": (180.0, -25.0), "side": (90.0, -25.0)}
"""Where each camera stands around the table: azimuth and elevation in degrees."""
_LOOK_AT, _DISTANCE = (1.34, 0.75, 0.57), 0.85
_HAND = ("gripper_link", "gripper_finger_link")
_GOAL_RADIUS = 0.03


@dataclass(frozen=True)
class Appearance:
    """How the demonstrator appears."""

    has_arm: bool = True
    hand: tuple[float, float, float] | None = None
    """Colour of the hand; None as Fetch has it."""
    table: tuple[float, float, float] | None = None


ROBOT = Appearance()
HAND_HELD = Appearance(has_arm=False, hand=(0.95, 0.55, 0.1), table=(0.55, 0.6, 0.5))


class FetchWorld:
    """One episode after another; `reset` tells which."""

    def __init__(self, appearance: Appearance = ROBOT, size: int = 96) -> None:
        gymnasium.register_envs(gymnasium_robotics)
        made = gymnasium.make("FetchPickAndPlace-v4", max_episode_steps=10 * STEPS, disable_env_checker=True)
        self._env: Any = made.unwrapped
        self._renderer = mujoco.Renderer(self._env.model, size, size)
        self._cameras = {name: _camera(*place) for name, place in CAMERAS.items()}
        self._paint(appearance)
        self.seen: dict[str, Any] = {}

    def reset(self, seed: int) -> None:
        """Another place of the block and of the goal."""
        self.seen, _ = self._env.reset(seed=seed)
        self.is_success = False
        self._show_goal()

    def step(self, action: np.ndarray) -> None:
        """Move the hand by 5 cm x `action[:3]` at most, and its fingers."""
        self.seen, _, _, _, info = self._env.step(np.clip(action, -1.0, 1.0).astype(np.float32))
        self.is_success = bool(info["is_success"])

    def close(self) -> None:
        """Give the renderer back, which Python would do too late."""
        self._renderer.close()

    @property
    def hand(self) -> np.ndarray:
        """Where the fingertips meet. (3,)."""
        return self.seen["observation"][:3]

    @property
    def block(self) -> np.ndarray:
        """(3,)."""
        return self.seen["achieved_goal"]

    @property
    def goal(self) -> np.ndarray:
        """(3,)."""
        return self.seen["desired_goal"]

    def state(self) -> np.ndarray:
        """Joints of arm and fingers. (9,)."""
        names = [f"robot0:{name}" for name in JOINTS]
        return np.array([self._env.data.joint(name).qpos[0] for name in names], np.float32)

    def pose(self) -> np.ndarray:
        """Position, rotation as a quaternion (x, y, z, w) and opening of the gripper in metres. (8,)."""
        site, quaternion = self._env.data.site("robot0:grip"), np.empty(4)
        mujoco.mju_mat2Quat(quaternion, site.xmat)
        opening = self.seen["observation"][9:11].sum()
        return np.array([*site.xpos, *np.roll(quaternion, -1), opening], np.float32)

    def images(self) -> dict[str, np.ndarray]:
        """What each camera sees. (size, size, 3) each."""
        found = {}
        for name, camera in self._cameras.items():
            self._renderer.update_scene(self._env.data, camera)
            found[name] = self._renderer.render().copy()
        return found

    def _show_goal(self) -> None:
        """A red ball; the environment shows it only in its own images."""
        model, data = self._env.model, self._env.data
        place, number = data.site("target0").xpos, model.site("target0").id
        model.site_pos[number] += self.goal - place
        model.site_rgba[number], model.site_size[number] = (1.0, 0.0, 0.0, 1.0), _GOAL_RADIUS
        mujoco.mj_forward(model, data)

    def _paint(self, appearance: Appearance) -> None:
        model = self._env.model
        for geom in range(model.ngeom):
            name = model.body(model.geom_bodyid[geom]).name
            if name == "robot0:mocap":
                model.geom_rgba[geom, 3] = 0.0  # crosshairs through the hand, which no camera would see
            elif name == "table0" and appearance.table:
                _colour(model, geom, appearance.table)
            elif name.startswith("robot0:") and name.endswith(_HAND):
                if appearance.hand:
                    _colour(model, geom, appearance.hand)
            elif name.startswith("robot0:") and not appearance.has_arm:
                model.geom_rgba[geom, 3] = 0.0
                model.geom_matid[geom] = -1


JOINTS = (
    "shoulder_pan_joint",
    "shoulder_lift_joint",
    "upperarm_roll_joint",
    "elbow_flex_joint",
    "forearm_roll_joint",
    "wrist_flex_joint",
    "wrist_roll_joint",
    "r_gripper_finger_joint",
    "l_gripper_finger_joint",
)


def _colour(model: Any, geom: int, colour: tuple[float, float, float]) -> None:
    model.geom_matid[geom] = -1
    model.geom_rgba[geom] = (*colour, 1.0)


def _camera(azimuth: float, elevation: float) -> mujoco.MjvCamera:
    camera = mujoco.MjvCamera()
    camera.azimuth, camera.elevation, camera.distance = azimuth, elevation, _DISTANCE
    camera.lookat[:] = _LOOK_AT
    return camera
