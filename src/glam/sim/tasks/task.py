"""What a task is: objects, where they start, how an expert does it, and when it is done."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import mujoco
import numpy as np

from glam.sim.embodiments.embodiment import HandPose

if TYPE_CHECKING:
    from glam.sim.expert import Expert
    from glam.sim.world import World

Stage = Literal["reach", "grasp", "place", "release"]

Plan = Iterator[HandPose]
"""One target per control step for one arm. A plan may look at the world whenever it goes on."""


@dataclass(frozen=True)
class Camera:
    """A fixed camera that looks from `position` at `target`, in metres."""

    name: str
    position: tuple[float, float, float]
    target: tuple[float, float, float]
    fovy: float
    """Vertical field of view in degrees."""


TABLE_CAMERAS = (
    Camera("front", (1.45, 0.0, 0.50), (0.45, 0.0, 0.09), 20.0),
    Camera("overhead", (1.05, 0.55, 0.78), (0.45, 0.0, 0.06), 22.0),
)
"""Front: low enough to see below a lowered hand. Overhead: tilted, from the corner that no arm covers. What
each object shows of itself is measured: docs/worlds.md."""


class Task(ABC):
    """One manipulation task. Subclasses are stateless: everything that changes lives in the world."""

    name: str
    instruction: str
    """What is to be done, in words: LeRobot's `task`."""
    objects: tuple[str, ...]
    """Bodies that are manipulated; one mask channel each, in this order."""
    arms: tuple[str, ...] = ("arm",)
    starts: tuple[tuple[float, float, float], ...] = ((0.42, 0.0, 0.23),)
    """Where each hand usually starts, in metres."""
    cameras: tuple[Camera, ...] = TABLE_CAMERAS
    max_episode_steps: int
    """Control steps that an attempt may take: 1.5 x the longest demonstration."""
    hold_steps: int = 10
    """Consecutive control steps for which `is_done` must hold before the attempt counts as a success."""
    revision: int = 0
    """Counts changes of what the expert does: demonstrations of before are other ones."""

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
        """Whether the goal holds at this moment."""

    @abstractmethod
    def milestones(self, world: "World") -> dict[Stage, bool]:
        """Which parts of the task hold at this moment, in their order: tells where an attempt failed."""
