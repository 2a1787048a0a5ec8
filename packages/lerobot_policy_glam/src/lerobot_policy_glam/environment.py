"""GLAM's simulated tasks for `lerobot-eval`: `--env.type=glam --env.task=stack-two`."""

from dataclasses import dataclass, field
from typing import Any

import gymnasium
from lerobot.configs.types import FeatureType, PolicyFeature
from lerobot.envs.configs import EnvConfig

from glam.data.schema import ACTION, IMAGE_PREFIX, STATE

_ID = "lerobot_policy_glam/Guarded-v0"
# By name: the class needs MuJoCo and a GL library, which loading a policy does not need.
gymnasium.register(_ID, entry_point="lerobot_policy_glam.guarded_env:GuardedEnv")


@EnvConfig.register_subclass("glam")
@dataclass
class GlamEnv(EnvConfig):
    """One task by one arm, behind the safety filter of `glam evaluate`."""

    task: str | None = "lift"
    """Any task that `glam collect --help` lists."""
    embodiment: str = "kinova"
    """Any embodiment that has actions."""
    image_size: int = 96
    fps: int = 10
    features: dict[str, PolicyFeature] = field(default_factory=dict)
    features_map: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Look up the sizes of the task's observations and actions."""
        from lerobot_policy_glam.guarded_env import sizes  # noqa: PLC0415  see above

        found = sizes(str(self.task), self.embodiment)
        image = PolicyFeature(FeatureType.VISUAL, (self.image_size, self.image_size, 3))
        self.features = {
            ACTION: PolicyFeature(FeatureType.ACTION, (found.action,)),
            "agent_pos": PolicyFeature(FeatureType.STATE, (found.measured,)),
            **{f"pixels/{camera}": image for camera in found.cameras},
        }
        self.features_map = {
            ACTION: ACTION,
            "agent_pos": STATE,
            **{f"pixels/{camera}": IMAGE_PREFIX + camera for camera in found.cameras},
        }
        self._max_episode_steps = found.max_episode_steps

    @property
    def gym_id(self) -> str:
        """One environment for all tasks."""
        return _ID

    @property
    def gym_kwargs(self) -> dict[str, Any]:
        """Arguments of the environment."""
        return {
            "task": self.task,
            "embodiment": self.embodiment,
            "image_size": self.image_size,
            "max_episode_steps": self._max_episode_steps,
        }
