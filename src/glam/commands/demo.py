"""`glam demo`."""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from glam.commands.console import bar, say
from glam.core.errors import GlamError

if TYPE_CHECKING:  # torch takes seconds to import, and --help does without
    from glam.bench.running import GridState

_WORDS = {
    "data": "recorded demonstrations",
    "world-model": "stage 1: trained the world model",
    "replay": "replayed unlabelled demonstrations on the robot",
    "policy": "stage 2: trained the policy",
    "evaluation": "evaluated the policy in unseen scenes",
}


@dataclass(frozen=True)
class Demo:
    """Run the whole pipeline on one task: record, learn latent actions, relabel, train, evaluate, report.

    Takes about ten minutes and ends with a page. It compares three policies: glam-o, mip and retarget.
    """

    out: Path = Path("demo")
    """Folder for everything; the same command resumes an interrupted demo."""
    task: str = "stack-two"
    """A task for one arm: lift, pick-place, knock-down or stack-two."""
    labelled: int = 34
    """Number of demonstrations on the robot, with actions."""
    unlabelled: int = 334
    """Number of demonstrations with the hand-held gripper, without actions."""
    trials: int = 100
    """Number of unseen scenes in which each policy is evaluated."""
    seed: int = 0
    """Seed of the demonstrations and trainings."""
    workers: int = 2
    """Number of CPU cores to use."""
    smoke: bool = False
    """Only test the pipeline, with networks too small to learn anything."""

    def run(self) -> int:
        """Run the demo and print the path of its page."""
        from glam.bench import demo

        for name in ("labelled", "unlabelled", "trials", "workers"):
            if getattr(self, name) < 1:
                raise GlamError(f"--{name} {getattr(self, name)} must be at least 1")
        config = demo.DemoConfig(self.task, self.labelled, self.unlabelled, self.trials, self.seed)
        config = replace(config, preset="smoke") if self.smoke else config
        begin = time.monotonic()
        with bar("demo") as progress:
            printed: set[str] = set()

            def on_state(state: "GridState") -> None:
                for run in state.done:
                    if run.name not in printed:
                        printed.add(run.name)
                        minutes = (time.monotonic() - begin) / 60
                        say(f"{minutes:5.1f} min  {_WORDS[run.kind]}: {run.title}")
                progress(len(state.done), len(state.done) + len(state.running) + len(state.left))

            page = demo.demo(config, self.out, self.workers, on_state)
        for found in demo.comparisons(config, self.out):
            say(found.sentence)
        say(str(page))
        return 0
