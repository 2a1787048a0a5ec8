"""`glam demo`."""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from glam.commands.console import bar, say
from glam.core.errors import GlamError

if TYPE_CHECKING:  # torch takes seconds to import, and --help does without
    from glam.bench.running import State

_WORDS = {
    "data": "recorded demonstrations",
    "world-model": "stage 1: trained the world model",
    "replay": "replayed unlabelled demonstrations on the robot",
    "policy": "stage 2: trained the policy",
    "evaluation": "tried the policy on unseen configurations",
}


@dataclass(frozen=True)
class Demo:
    """The whole pipeline on one task: record, learn latent actions, relabel, train, try, report. Some ten minutes."""

    out: Path = Path("demo")
    """Folder for everything; the same command goes on where an earlier one stopped."""
    task: str = "stack-two"
    """lift, pick-place, knock-down or stack-two."""
    labelled: int = 34
    """Demonstrations on the robot, with action labels."""
    unlabelled: int = 334
    """Demonstrations with the hand-held gripper, without labels."""
    trials: int = 100
    """Unseen configurations from which each policy is tried."""
    seed: int = 0
    """Of the demonstrations and trainings."""
    workers: int = 2
    """Things done at a time, one core each."""
    smoke: bool = False
    """Only try the plumbing: networks too small to learn anything."""

    def run(self) -> int:
        """Run the demo and print the path of its page."""
        from glam.bench import demo
        from glam.evaluation.comparison import compare_runs

        for name in ("labelled", "unlabelled", "trials", "workers"):
            if getattr(self, name) < 1:
                raise GlamError(f"--{name} {getattr(self, name)} must be at least 1")
        config = demo.Demo(self.task, self.labelled, self.unlabelled, self.trials, self.seed)
        config = replace(config, preset="smoke") if self.smoke else config
        begin = time.monotonic()
        with bar("demo") as progress:
            told: set[str] = set()

            def on_state(state: "State") -> None:
                for node in state.done:
                    if node.name not in told:
                        told.add(node.name)
                        minutes = (time.monotonic() - begin) / 60
                        say(f"{minutes:5.1f} min  {_WORDS[node.kind]}: {node.title}")
                progress(len(state.done), len(state.done) + len(state.running) + len(state.left))

            page, sources = demo.demo(config, self.out, self.workers, on_state)
        latent, mip = demo.evaluations(config, self.out)
        say(compare_runs(latent, mip).sentence)
        say(f"the demonstrations: {sources}")
        say(str(page))
        return 0
