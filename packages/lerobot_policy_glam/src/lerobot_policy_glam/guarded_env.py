"""A simulated task as a LeRobot environment, with the safety filter between policy and robot."""

from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.registry import one_of
from glam.data.schema import POSE_SIZE
from glam.sim.embodiments import EMBODIMENTS, find_embodiment
from glam.sim.env import ManipulationEnv
from glam.sim.scene import build_model
from glam.sim.tasks import find_task
from glam.stages.evaluate import guard

Observation = dict[str, Any]


class EnvSizes(NamedTuple):
    """Sizes of a task's observations and actions."""

    cameras: tuple[str, ...]
    measured: int
    """Numbers in `agent_pos`: robot state, then poses."""
    action: int
    max_episode_steps: int


def sizes(task: str, embodiment: str) -> EnvSizes:
    """Sizes of a task, without rendering anything."""
    work, body = find_task(task), find_embodiment(embodiment)
    if not body.is_labelled:
        known = one_of(name for name, each in EMBODIMENTS.items() if each.is_labelled)
        raise GlamError(f"--env.embodiment {embodiment}: has no actions; choose {known}")
    model = build_model(work, body)
    arms = [body.bind_arm(model, arm) for arm in work.arms]
    return EnvSizes(
        cameras=tuple(camera.name for camera in work.cameras),
        measured=sum(len(arm.state_names) + POSE_SIZE for arm in arms),
        action=sum(len(arm.action_names) for arm in arms),
        max_episode_steps=work.max_episode_steps,
    )


class GuardedEnv(gymnasium.Wrapper[Observation, NDArray[np.float32], Observation, NDArray[np.float32]]):
    """Task whose `agent_pos` holds the robot's state and then its end-effector poses: LeRobot reads no other key."""

    def __init__(self, task: str, embodiment: str = "kinova", image_size: int = 96) -> None:
        self._inner = ManipulationEnv(task, embodiment, image_size, render_mode="rgb_array")
        super().__init__(self._inner)
        # LeRobot asks for both, and asking for what is not there ends environments in processes of their own.
        self.task, self.task_description = task, find_task(task).instruction
        seen = self._inner.observation_space
        assert isinstance(seen, spaces.Dict), seen
        measured = spaces.Box(-np.inf, np.inf, (sizes(task, embodiment).measured,), dtype=np.float32)
        self.observation_space = spaces.Dict({"pixels": seen["pixels"], "agent_pos": measured})

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode with a safety filter at the robot's present position."""
        observation, info = self._inner.reset(seed=seed, options=options)
        self._guard = guard(self._inner.world)
        return _joined(observation), info

    def step(self, action: NDArray[np.float32]) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Step the simulation with the filtered action."""
        command: Any = self._guard(action)  # in double precision, as in `glam evaluate`
        observation, reward, terminated, truncated, info = self._inner.step(command)
        return _joined(observation), reward, terminated, truncated, info


def _joined(observation: Observation) -> Observation:
    measured = np.concatenate([observation["agent_pos"], observation["ee_pose"]])
    return {"pixels": observation["pixels"], "agent_pos": measured}
