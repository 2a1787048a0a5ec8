"""Our simulated arm as a robot of LeRobot's, `--robot.type=understudy`. It notes what it is asked for.

LeRobot finds the class by the name of this module, once that of its settings is registered.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from lerobot.robots import Robot, RobotConfig

from glam.core.files import write_json
from glam.data.schema import POSE_SIZE
from glam.sim.embodiments import find_embodiment
from glam.sim.tasks import find_task
from glam.sim.world import World
from glam.stages.evaluate import guard

Numbers = dict[str, Any]


@RobotConfig.register_subclass("understudy")
@dataclass
class UnderstudyConfig(RobotConfig):  # type: ignore[misc]
    """What it has to do."""

    task: str = "stack-two"
    seed: int = 0
    notes: str = "notes.json"
    """File for the actions that it was asked for."""


class Understudy(Robot):  # type: ignore[misc]
    """An arm that stops when its task is done. The safety filter is its own, as it must be with LeRobot."""

    config_class = UnderstudyConfig
    name = "understudy"
    is_connected = False
    is_calibrated = True

    def __init__(self, config: UnderstudyConfig) -> None:
        super().__init__(config)
        self.world = World(find_task(config.task), find_embodiment("kinova"))
        self.world.reset(config.seed)
        self.guard, self.notes = guard(self.world), Path(config.notes)
        self.joints = [name for arm in self.world.arms.values() for name in arm.state_names]
        self.pose = [f"tool_{entry}.pos" for entry in range(POSE_SIZE)]
        self.cameras = [camera.name for camera in self.world.task.cameras]
        self.asked: list[list[float]] = []

    @property
    def observation_features(self) -> Numbers:
        """State first and pose last: the policy takes them from the two ends."""
        images = dict.fromkeys(self.cameras, self.world.images().shape[1:])
        return self.action_features | dict.fromkeys(self.pose, float) | images

    @property
    def action_features(self) -> Numbers:
        """In the order of the training data."""
        return dict.fromkeys(self.joints, float)

    def connect(self, calibrate: bool = True) -> None:  # noqa: FBT001, FBT002, ARG002
        """It is there."""
        self.is_connected = True

    def calibrate(self) -> None:
        """Nothing is to be done."""

    def configure(self) -> None:
        """Nothing is to be done."""

    def get_observation(self) -> Numbers:
        """State and pose by the names of their entries, and images."""
        numbers = map(float, (*self.world.state(), *self.world.ee_pose()))
        seen = dict(zip(self.cameras, self.world.images(), strict=True))
        return dict(zip((*self.joints, *self.pose), numbers, strict=True)) | seen

    def send_action(self, action: Numbers) -> Numbers:
        """Act for a tenth of a second, as far as the filter allows."""
        if not self.world.is_success:
            asked = np.array([action[name] for name in self.joints], np.float32)
            self.asked.append(asked.tolist())
            self.world.step(self.guard(asked))
        return action

    def disconnect(self) -> None:
        """Leave the notes."""
        write_json(self.notes, self.asked)
        self.is_connected = False
