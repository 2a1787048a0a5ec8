"""Worlds as Gymnasium environments, such as `glam/StackTwo-Kinova-v0`, with the observation keys of LeRobot."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from glam.data.schema import POSE_SIZE
from glam.sim.embodiments import EMBODIMENTS, find_embodiment
from glam.sim.embodiments.embodiment import USUAL_ACTIONS
from glam.sim.tasks import TASKS, find_task
from glam.sim.world import CONTROL_RATE, EpisodeFailedError, World

Observation = dict[str, Any]


class ManipulationEnv(gymnasium.Env[Observation, NDArray[np.float32]]):
    """One task by one embodiment. Reward 1 and termination on success; a broken episode terminates with reward 0.

    Observations: `pixels` (one RGB image per camera), `ee_pose` (ten numbers per arm), and `agent_pos` (robot state) of
    embodiments that have one. `info` holds `is_success`, and `failure` with the reason when the episode broke.
    `action_space` names other actions than the usual ones, such as `joint-velocities`.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": CONTROL_RATE}  # noqa: RUF012 - Gymnasium's own name

    def __init__(
        self,
        task: str,
        embodiment: str,
        image_size: int = 96,
        render_mode: str | None = None,
        action_space: str = USUAL_ACTIONS,
    ) -> None:
        self.render_mode = render_mode
        body = find_embodiment(embodiment)
        body = body if action_space == USUAL_ACTIONS else body.acting_by(action_space)
        self.world = World(find_task(task), body, (image_size, image_size))
        self.task_description = self.world.task.instruction
        self._cameras = [camera.name for camera in self.world.task.cameras]
        self.world.reset(0)  # sizes of state and action are known once the arms are in place
        self.action_space = self._action_space()
        self.observation_space = self._observation_space(image_size)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start the episode of `seed`, or of a random one."""
        super().reset(seed=seed, options=options)
        self.world.reset(int(self.np_random.integers(2**31)) if seed is None else seed)
        return self._observation(), {"is_success": False}

    def step(self, action: NDArray[np.float32]) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Act for a tenth of a second."""
        try:
            self.world.step(np.asarray(action, dtype=np.float64))
        except EpisodeFailedError as failure:
            gymnasium.logger.warn(f"episode failed: {failure}")
            return self._observation(), 0.0, True, False, {"is_success": False, "failure": str(failure)}
        is_success = self.world.is_success
        return self._observation(), float(is_success), is_success, False, {"is_success": is_success}

    def render(self) -> NDArray[np.uint8]:
        """All cameras side by side, as in the last observation: rendering must not draw new noise."""
        return np.concatenate(list(self._images), axis=1)

    def close(self) -> None:
        """Free the renderer."""
        self.world.close()

    def _observation(self) -> Observation:
        self._images = self.world.images()
        observation = {"pixels": dict(zip(self._cameras, self._images, strict=True)), "ee_pose": self.world.ee_pose()}
        if self.world.embodiment.is_labelled:
            observation["agent_pos"] = self.world.state()
        return observation

    def _action_space(self) -> spaces.Space[NDArray[np.float32]]:
        low, high = self.world.action_limits()
        return spaces.Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)

    def _observation_space(self, size: int) -> spaces.Dict:
        pixels: dict[str, spaces.Space[Any]] = {
            camera: spaces.Box(0, 255, (size, size, 3), dtype=np.uint8) for camera in self._cameras
        }
        parts: dict[str, spaces.Space[Any]] = {
            "pixels": spaces.Dict(pixels),
            "ee_pose": _unbounded(POSE_SIZE * len(self.world.arms)),
        }
        if self.world.embodiment.is_labelled:
            parts["agent_pos"] = _unbounded(len(self.world.state()))
        return spaces.Dict(parts)


def _unbounded(size: int) -> spaces.Space[NDArray[np.float32]]:
    return spaces.Box(-np.inf, np.inf, (size,), dtype=np.float32)


def environment_id(task: str, embodiment: str) -> str:
    """`stack-two`, `kinova-lab` -> `glam/StackTwo-KinovaLab-v0`."""
    return f"glam/{_camel(task)}-{_camel(embodiment)}-v0"


def register_environments() -> None:
    """One id for each task and embodiment; the class is imported when the first one is made."""
    for task in TASKS.values():
        for embodiment in EMBODIMENTS:
            gymnasium.register(
                id=environment_id(task.name, embodiment),
                entry_point="glam.sim.env:ManipulationEnv",
                max_episode_steps=task.max_episode_steps,
                kwargs={"task": task.name, "embodiment": embodiment},
            )


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))
