"""Recording of demonstrations as a run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from glam.bench.run import BenchRun, FolderOf, SourceSize
from glam.sim.sensors import PERFECT_TRACKER, Tracker
from glam.sim.tasks import find_task
from glam.stages.collect import CollectConfig, collect

HELD_OUT = 0.1
"""Share of the episodes of every source that no recipe learns from."""
_USUAL_STEPS = 140
"""max_episode_steps of stack-two, the unit of the work of an episode."""


@dataclass(frozen=True)
class DataRun(BenchRun):
    """Demonstrations."""

    kind: ClassVar[str] = "data"
    seconds: ClassVar[float] = 0.25
    task: str
    embodiment: str
    episodes: int
    seed: int
    tracker: Tracker = PERFECT_TRACKER
    vary_look: bool = False

    @property
    def title(self) -> str:
        """Task, embodiment, number of episodes, first scene, errors of the poses and looks."""
        return f"{self.task}-{self.embodiment}-{self.episodes}-from-{self.seed}{self.flaws}"

    @property
    def flaws(self) -> str:
        """Errors of the tracker and looks that vary, as they appear in names."""
        tracker = self.tracker
        shift = f"-{tracker.position_error_mm:g}mm" if tracker.position_error_mm else ""
        turn = f"-{tracker.angle_error_degrees:g}deg" if tracker.angle_error_degrees else ""
        offset = f"-{tracker.tool_offset_mm:g}mm-tool" if tracker.tool_offset_mm else ""
        gripper, look = "" if tracker.sees_gripper else "-hidden-gripper", "-varied-look" if self.vary_look else ""
        return shift + turn + offset + gripper + look

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the recording, and the revision of the task."""
        revision = find_task(self.task).revision
        return {"collect": self._config.provenance, "episodes": self.episodes, "revision": revision}

    @property
    def size(self) -> float:
        """Episodes of usual length by one arm."""
        return self.episodes * episode_size(self.task)

    @property
    def learnt(self) -> SourceSize:
        """Size as a source of a training, which holds out a tenth of the episodes, at least one."""
        return SourceSize(self.embodiment, self.episodes - max(1, round(HELD_OUT * self.episodes)))

    def make(self, folder: Path, folder_of: FolderOf) -> dict[str, Any]:
        """Record them."""
        del folder_of
        done = collect(self._config, folder, self.episodes, workers=1)
        return {"episodes": done.episodes, "discarded": done.discarded}

    @property
    def _config(self) -> CollectConfig:
        return CollectConfig(self.task, self.embodiment, self.seed, tracker=self.tracker, vary_look=self.vary_look)


def episode_size(task: str) -> float:
    """Work of an episode of a task, compared with one of stack-two."""
    found = find_task(task)
    return found.max_episode_steps / _USUAL_STEPS * len(found.arms)


def amounts(target: DataRun, auxiliary: tuple[DataRun, ...]) -> str:
    """Episodes of each source and errors of its poses, such as `111+444-20mm`."""
    return "+".join(f"{data.episodes}{data.flaws}" for data in (target, *auxiliary))
