"""A task: objects, where they start, how an expert does it, and when it is done. docs/add_a_task.md adds one."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from glam.sim.embodiments.embodiment import HandPose

if TYPE_CHECKING:
    from glam.sim.expert import Expert
    from glam.sim.world import World

Plan = Iterator[HandPose]
"""One target per control step for one arm. A plan may read the state of the world at every step."""


@dataclass(frozen=True)
class Camera:
    """A fixed camera that looks from `position` at `target`, in metres."""

    name: str
    position: tuple[float, float, float]
    target: tuple[float, float, float]
    fovy: float
    """Vertical field of view in degrees."""


TABLE_CAMERAS = (
    Camera("front", (1.45, 0.0, 0.50), (0.44, 0.0, 0.08), 29.0),
    Camera("overhead", (1.05, 0.55, 0.78), (0.46, 0.02, 0.10), 31.5),
)
"""Front: low enough to see below a lowered gripper. Overhead: tilted, from the corner that no arm covers.
docs/worlds.md says how many pixels of each object they show."""


class Task(ABC):
    """One manipulation task. Subclasses are stateless: everything that changes lives in the world."""

    name: str
    instruction: str
    """The task in words; LeRobot stores it as `task`."""
    objects: tuple[str, ...]
    """Names of the bodies that are manipulated; one mask channel each, in this order."""
    arms: tuple[str, ...] = ("arm",)
    starts: tuple[tuple[float, float, float], ...] = ((0.42, 0.0, 0.26),)
    """Usual start position of each gripper, in metres."""
    cameras: tuple[Camera, ...] = TABLE_CAMERAS
    max_episode_steps: int
    """Control steps that an attempt may take: 1.5 x the longest demonstration, rounded up to a multiple of 5."""
    hold_steps: int = 10
    """Consecutive control steps for which `is_done` must hold before the attempt counts as a success."""
    revision: int = 0
    """Raised by one whenever expert, placements or cameras change, so that new demonstrations are not taken for old."""

    @abstractmethod
    def add_objects(self, spec: mujoco.MjSpec) -> None:
        """Add one free body for each name in `objects`."""

    @abstractmethod
    def place_objects(self, world: "World", rng: np.random.Generator) -> None:
        """Put every object where this episode starts."""

    @abstractmethod
    def plans(self, world: "World", experts: Mapping[str, "Expert"]) -> Mapping[str, Plan]:
        """The plan of every arm, to be advanced together, one target per control step."""

    @abstractmethod
    def is_done(self, world: "World") -> bool:
        """Return true while the goal holds."""

    @abstractmethod
    def milestones(self, world: "World") -> dict[str, bool]:
        """Parts of the task in their order, each with whether it holds at this moment.

        The names are the task's own. A report says "fails to NAME" for the first one that was never achieved. Usual
        names are `reach`, `grasp`, `place` and `release`.
        """
