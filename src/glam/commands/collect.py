"""`glam collect`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from glam.commands.console import bar, say


@dataclass(frozen=True)
class Collect:
    """Record scripted demonstrations as a LeRobot dataset. The same command goes on where an earlier run stopped."""

    task: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="TASK")]
    """lift, pick-place, knock-down, stack-two or stack-three."""
    embodiment: str
    """kinova (target robot), umi (hand-held gripper without labels) or kinova-lab (stand-in for a real robot)."""
    out: Path
    """Folder of the dataset."""
    episodes: int = 100
    """Demonstrations that the folder holds at the end."""
    seed: int = 0
    """Episode i starts from configuration seed + i. Use other seeds for other sets."""
    workers: int = 2
    """Processes; the result is the same with any number."""
    image_size: int = 96
    """Pixels of height and width."""
    disturbances: float = 0.05
    """Probability of a jolt in each step of a free movement, from which the expert recovers; 0 for none."""
    misses: float = 0.0
    """Probability that the expert misses an object at first, and tries again: shows a policy a way out of that."""
    pose_error_mm: float = 0.0
    """Shift of all poses of an episode, each in its own direction, as by a tracker that is badly calibrated."""
    pose_error_degrees: float = 0.0
    """Turn of all poses of an episode, likewise."""
    hide_gripper: bool = False
    """Poses do not tell how far the gripper is open."""

    def run(self) -> int:
        """Collect and say what happened."""
        from glam.sim.expert import Disturbance
        from glam.sim.tracker import Tracker
        from glam.stages.collect import CollectConfig, collect

        disturbance = Disturbance(probability=self.disturbances, misses=self.misses)
        tracker = Tracker(self.pose_error_mm, self.pose_error_degrees, sees_gripper=not self.hide_gripper)
        config = CollectConfig(self.task, self.embodiment, self.seed, self.image_size, disturbance, tracker)
        with bar(f"{self.task} by {self.embodiment}") as progress:
            done = collect(config, self.out, self.episodes, workers=self.workers, progress=progress)
        say(f"{done.new} new episodes, {done.discarded} failed demonstrations discarded, {done.episodes} in all")
        say(str(done.root))
        return 0
