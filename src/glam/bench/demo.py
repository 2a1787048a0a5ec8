"""`glam demo`: the whole pipeline on one task, small, and a page that shows what came of it."""

from dataclasses import dataclass
from pathlib import Path

from glam.bench.engines import local
from glam.bench.node import Node, Workshop
from glam.bench.nodes import Data, Evaluation, Policy, Replay, WorldModel
from glam.bench.running import OnState, run
from glam.data.reader import Dataset
from glam.recipes.world_models import Preset
from glam.reports.sources import write_sources_page
from glam.stages.report import report

_APART = 1_000_000
"""Configurations between the demonstrations of one seed and those of the next."""


@dataclass(frozen=True)
class Demo:
    """Few labelled demonstrations, many without labels, and how they are tried."""

    task: str = "stack-two"
    labelled: int = 34
    """On the robot; a tenth is held out."""
    unlabelled: int = 334
    """With the hand-held gripper."""
    trials: int = 100
    seed: int = 0
    """Of the demonstrations and of both trainings."""
    preset: Preset = "demo"

    @property
    def datasets(self) -> tuple[Data, Data]:
        """Those with labels, and those without."""
        first = self.seed * _APART
        labelled = Data(self.task, "kinova", self.labelled, first)
        return labelled, Data(self.task, "umi", self.unlabelled, first + _APART // 2)

    @property
    def cells(self) -> tuple[Node, ...]:
        """From both kinds of demonstrations by latent actions, and from the labelled ones alone."""
        labelled, unlabelled = self.datasets
        model = WorldModel("glam-o", labelled, (unlabelled,), self.seed, self.preset)
        latent = Policy("latent", labelled, (unlabelled,), model, self.seed, self.preset)
        mip = Policy("mip", labelled, seed=self.seed, preset=self.preset)
        trials = [Evaluation(policy, episodes=self.trials) for policy in (latent, mip)]
        return (Replay(model, unlabelled), *trials)


def demo(config: Demo, out: Path, workers: int, on_state: OnState) -> tuple[Path, Path]:
    """Run what is missing of the pipeline in `out`; returns the page of results and that of the demonstrations."""
    workshop = Workshop(out)
    run(config.cells, workshop, local(workers), on_state)
    sources = out / "demonstrations.html"
    write_sources_page([Dataset.open(workshop.place(data)) for data in config.datasets], sources)
    return report([out], out / "index.html"), sources


def evaluations(config: Demo, out: Path) -> tuple[Path, Path]:
    """Folders of the trials of both policies, latent actions first."""
    workshop = Workshop(out)
    latent, mip = (workshop.place(cell) for cell in config.cells if isinstance(cell, Evaluation))
    return latent, mip
