"""Demonstrations as a node."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from glam.bench.node import Node, Place, SourceSize
from glam.sim.tasks import find_task
from glam.sim.tracker import PERFECT_TRACKER, Tracker
from glam.stages.collect import CollectConfig, collect, recipe_of

HELD_OUT = 0.1
"""Share of the episodes of every source that no recipe learns from."""
_USUAL_STEPS = 135
"""ActionChunking of stack-two, by which the work of an episode is measured."""


@dataclass(frozen=True)
class Data(Node):
    """Demonstrations."""

    kind: ClassVar[str] = "data"
    seconds: ClassVar[float] = 0.5
    task: str
    embodiment: str
    episodes: int
    seed: int
    tracker: Tracker = PERFECT_TRACKER

    @property
    def title(self) -> str:
        """Task, embodiment, number, first configuration, and what is wrong with the poses."""
        return f"{self.task}-{self.embodiment}-{self.episodes}-from-{self.seed}{self.flaws}"

    @property
    def flaws(self) -> str:
        """What the tracker gets wrong."""
        tracker = self.tracker
        shift = f"-{tracker.position_error_mm:g}mm" if tracker.position_error_mm else ""
        turn = f"-{tracker.angle_error_degrees:g}deg" if tracker.angle_error_degrees else ""
        return shift + turn + ("" if tracker.sees_gripper else "-hidden-gripper")

    @property
    def settings(self) -> dict[str, Any]:
        """How they are recorded, and by which expert if it is not the first one: results exist under such names."""
        revision = find_task(self.task).revision
        settings = {"collect": recipe_of(self._config), "episodes": self.episodes}
        return settings | ({"revision": revision} if revision else {})

    @property
    def size(self) -> float:
        """Episodes of usual length by one arm."""
        return self.episodes * episode_size(self.task)

    @property
    def learnt(self) -> SourceSize:
        """As a source of a training, which holds a tenth out, and at least one."""
        return SourceSize(self.embodiment, self.episodes - max(1, round(HELD_OUT * self.episodes)))

    def make(self, folder: Path, place: Place) -> dict[str, Any]:
        """Record them."""
        del place
        done = collect(self._config, folder, self.episodes, workers=1)
        return {"episodes": done.episodes, "discarded": done.discarded}

    @property
    def _config(self) -> CollectConfig:
        return CollectConfig(self.task, self.embodiment, self.seed, tracker=self.tracker)


def episode_size(task: str) -> float:
    """How much work an episode of a task is, compared with one of stack-two."""
    found = find_task(task)
    return found.max_episode_steps / _USUAL_STEPS * len(found.arms)


def amounts(target: Data, auxiliary: tuple[Data, ...]) -> str:
    """Episodes of each source and what is wrong with its poses, such as `111+444-20mm`."""
    return "+".join(f"{data.episodes}{data.flaws}" for data in (target, *auxiliary))
