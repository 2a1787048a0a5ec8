"""`glam demo`: the whole pipeline on one task, small, and a page with its results."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from glam.bench.grids.parts import WITH_MASKS
from glam.bench.run import BenchRun, RunStore
from glam.bench.running import GridState, OnState, local_engine, run_all
from glam.bench.runs import Change, DataRun, EvaluationRun, PolicyRun, ReplayRun, WorldModelRun
from glam.data.reader import Dataset
from glam.evaluation.comparison import SuccessComparison, compare
from glam.evaluation.evaluations import read_records
from glam.recipes import Preset
from glam.reports.data_view import write_sources_page
from glam.reports.markup import Html, element
from glam.reports.page import note
from glam.reports.summary.page import Introduction
from glam.sim.tasks import find_task
from glam.stages.report import report

_APART = 1_000_000
"""Scenes between the demonstrations of one seed and those of the next."""
WORLD_MODEL = "glam-o"
DEMONSTRATIONS = "demonstrations.html"
POLICIES = {
    WORLD_MODEL: (
        "both kinds of demonstrations",
        "The method of this package. A world model learns latent actions from object masks and end-effector poses of "
        "both sources, labels the unlabelled demonstrations with them, and a policy is trained on all demonstrations.",
    ),
    "mip": (
        "labelled demonstrations only",
        "Imitation learning. It cannot use the other demonstrations.",
    ),
    "retarget": (
        "both kinds of demonstrations",
        "Inverse kinematics computes robot actions for the unlabelled demonstrations from their end-effector poses. It "
        "needs a kinematic model of the robot and exact poses.",
    ),
}
"""Data and method of each policy, in words."""


SHORT = (*WITH_MASKS, Change("policy.observation.random_shift", 0.0))
"""Changes for short trainings on few demonstrations, alike for all policies: object masks take the place of random
shifts, with which 1200 steps are too few (glam-o succeeded in 16 of 100 scenes instead of 50)."""


@dataclass(frozen=True)
class DemoConfig:
    """Few labelled demonstrations, many unlabelled ones, and the trials."""

    task: str = "stack-two"
    labelled: int = 34
    """Demonstrations on the robot; a tenth is held out."""
    unlabelled: int = 334
    """Demonstrations with the hand-held gripper."""
    trials: int = 100
    seed: int = 0
    """Seed of the demonstrations and of all trainings."""
    preset: Preset = "demo"

    @property
    def datasets(self) -> tuple[DataRun, DataRun]:
        """Labelled and unlabelled demonstrations."""
        first = self.seed * _APART
        labelled = DataRun(self.task, "kinova", self.labelled, first)
        return labelled, DataRun(self.task, "umi", self.unlabelled, first + _APART // 2)

    @property
    def evaluations(self) -> dict[str, EvaluationRun]:
        """Trials of each policy."""
        labelled, unlabelled = self.datasets
        policies = {
            WORLD_MODEL: PolicyRun("latent", labelled, (unlabelled,), self._world_model),
            "mip": PolicyRun("mip", labelled),
            "retarget": PolicyRun("retarget", labelled, (unlabelled,)),
        }
        policies = {
            name: replace(policy, seed=self.seed, preset=self.preset, changes=SHORT)
            for name, policy in policies.items()
        }
        return {name: EvaluationRun(policy, episodes=self.trials) for name, policy in policies.items()}

    @property
    def runs(self) -> tuple[BenchRun, ...]:
        """All runs; the longest chain of runs that need one another comes first, so that it never waits for a core."""
        return (*self.evaluations.values(), ReplayRun(self._world_model, self.datasets[1]))

    @property
    def _world_model(self) -> WorldModelRun:
        labelled, unlabelled = self.datasets
        return WorldModelRun(WORLD_MODEL, labelled, (unlabelled,), self.seed, self.preset)


def demo(config: DemoConfig, out: Path, workers: int, on_state: OnState) -> Path:
    """Make the missing runs of the pipeline in `out`; returns the page of results, which links the other page."""
    store = RunStore(out)

    def also_show_demonstrations(state: GridState) -> None:
        """Write the page of the demonstrations while the trainings run."""
        on_state(state)
        if not (out / DEMONSTRATIONS).exists() and all(map(store.is_done, config.datasets)):
            write_sources_page([Dataset.open(store.folder(data)) for data in config.datasets], out / DEMONSTRATIONS)

    run_all(config.runs, store, local_engine(workers), also_show_demonstrations)
    return report([out], out / "index.html", introduction=_introduction(config, comparisons(config, out)))


def comparisons(config: DemoConfig, out: Path) -> list[SuccessComparison]:
    """The policy on latent actions against mip, and against inverse kinematics."""
    store = RunStore(out)
    records = {name: read_records(store.folder(run)) for name, run in config.evaluations.items()}
    others = [name for name in records if name != WORLD_MODEL]
    return [compare(records[WORLD_MODEL], records[name], (WORLD_MODEL, name)) for name in others]


def _introduction(config: DemoConfig, found: list[SuccessComparison]) -> Introduction:
    lead = (
        f"A robot learns one task from {config.labelled} demonstrations of its own and {config.unlabelled} "
        "demonstrations that were recorded with a hand-held gripper and have no robot actions."
    )
    return Introduction(f"Demo: {config.task}", lead, tuple(_parts(config, found)), reference=WORLD_MODEL)


def _parts(config: DemoConfig, found: list[SuccessComparison]) -> Iterator[Html]:
    yield _paragraph("Data", _data_words(config), element("a", "Films of the demonstrations", href=DEMONSTRATIONS), ".")
    yield _paragraph("Three policies")
    yield element("div", *(_policy(name, *words) for name, words in POLICIES.items()), class_="tiles")
    yield note(
        "With so few demonstrations, all three policies also learn from the object masks to locate the objects in the "
        "images (keypoint loss)."
    )
    trials = (
        f"Each policy controls the robot in the same {config.trials} scenes, which are in no demonstration. A trial "
        "succeeds if the task is done before the time is up."
    )
    yield _paragraph("Trials", trials)
    yield _paragraph("Result", f"{_sentence(found[0])}.")
    kinematics = (
        f"{_sentence(found[1])}. With a kinematic model of the robot and exact poses, as in this simulation, inverse "
        "kinematics is simple and works well. Latent actions need no kinematic model and no particular action space."
    )
    yield _paragraph("Why not inverse kinematics?", kinematics)
    yield note("Results vary with the seed and the machine.")


def _data_words(config: DemoConfig) -> str:
    few, many = config.datasets
    held_out = [data.episodes - data.learnt.episodes for data in (few, many)]
    return (
        f'The instruction is "{find_task(config.task).instruction}" {few.episodes} demonstrations were recorded on a '
        f"simulated robot arm (kinova) with robot actions: these are labelled. {many.episodes} were recorded with a "
        "simulated hand-held gripper (umi) without robot actions: these are unlabelled. A tenth of each dataset, "
        f"{held_out[0]} and {held_out[1]} episodes, is held out for validation, so {few.learnt.episodes} and "
        f"{many.learnt.episodes} are used for training. "
    )


def _policy(name: str, data: str, words: str) -> Html:
    return element(
        "div", element("p", element("strong", name)), element("p", f"Trained on {data}.", class_="note"),
        element("p", words), class_="tile",
    )  # fmt: skip


def _paragraph(title: str, *parts: object) -> Html:
    return element("p", element("strong", title), element("br"), *parts)


def _sentence(found: SuccessComparison) -> str:
    sentence = found.sentence.removeprefix(f"{found.task}: ")
    return f"N{sentence[1:]}" if sentence.startswith("no ") else sentence  # names of methods keep their small letters
