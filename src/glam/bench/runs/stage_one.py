"""World models and their diagnostics as runs."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from glam.bench.run import BenchRun, FolderOf, SourceSize
from glam.bench.runs.data import DataRun, amounts, another_hand
from glam.core.configs import changed
from glam.core.files import read_json
from glam.recipes import METHODS, Preset, world_model
from glam.stages.replay import ReplayConfig, replay_dataset
from glam.stages.source_probe import SourceAccuracy, probe_actions, probe_sources
from glam.stages.train_world_model import WorldModelConfig, train_world_model
from glam.training import metrics
from glam.training.recorder import METRICS

RecipeT = TypeVar("RecipeT")


@dataclass(frozen=True)
class Change:
    """A setting that differs from the recipe."""

    name: str
    """Such as `fit.steps`."""
    value: Any
    """Hashable, as the run is."""

    def __str__(self) -> str:
        return f"{self.name.rpartition('.')[-1].replace('_', ' ')} {_shown(self.value)}"


def with_changes(recipe: RecipeT, changes: Sequence[Change]) -> RecipeT:
    """A recipe with some settings changed."""
    return changed(recipe, {change.name: change.value for change in changes})


def _shown(value: Any) -> str:
    """A value in a title: configs by their type."""
    return type(value).__name__ if is_dataclass(value) else str(value)


@dataclass(frozen=True)
class WorldModelRun(BenchRun):
    """Stage 1."""

    kind: ClassVar[str] = "world-model"
    seconds: ClassVar[float] = 0.036
    method: str
    target: DataRun
    auxiliary: tuple[DataRun, ...]
    seed: int = 0
    preset: Preset = "cpu"
    changes: tuple[Change, ...] = ()

    @property
    def title(self) -> str:
        """Method, task, demonstrations, training seed and changes of the recipe."""
        learnt = f"{self.method}-{self.target.task}-{amounts(self.target, self.auxiliary)}-s{self.seed}"
        return ", ".join([learnt, *self.other_tasks, *another_hand(self.auxiliary), *map(str, self.changes)])

    @property
    def other_tasks(self) -> tuple[str, ...]:
        """Tasks of its auxiliary data, where they are not the target's alone."""
        tasks = [data.task for data in self.auxiliary]
        others = tuple(f"others from {task}" for task in tasks if task != self.target.task)
        return (*others, f"and from {self.target.task}") if others and self.target.task in tasks else others

    @property
    def stem(self) -> str:
        """Method, task, flaws of the auxiliary data, and training seed."""
        return f"{self.method}-{self.target.task}{self.auxiliary[0].flaws}-s{self.seed}"

    @property
    def needs(self) -> tuple[BenchRun, ...]:
        """Its datasets."""
        return (self.target, *self.auxiliary)

    @property
    def settings(self) -> WorldModelConfig:
        """The recipe."""
        recipe = with_changes(world_model(self.method, self.preset), self.changes)
        return replace(recipe, fit=replace(recipe.fit, seed=self.seed, threads=1))

    @property
    def size(self) -> float:
        """Steps."""
        return self.settings.fit.steps

    @property
    def learnt_from(self) -> tuple[SourceSize, ...]:
        """Its datasets."""
        return tuple(data.learnt for data in (self.target, *self.auxiliary))

    def make(self, folder: Path, folder_of: FolderOf) -> dict[str, Any]:
        """Train; returns the last probes."""
        train_world_model(self.settings, folder_of(self.target), [folder_of(data) for data in self.auxiliary], folder)
        lines = metrics.read(folder / METRICS)
        probes = [line for line in lines if line["split"] == "validation"][-1]
        return {"probes": probes, "training_seconds": max(line["seconds"] for line in lines)}


@dataclass(frozen=True)
class ReplayRun(BenchRun):
    """Cross-source replay on a robot, open loop."""

    kind: ClassVar[str] = "replay"
    seconds: ClassVar[float] = 0.12
    world_model: WorldModelRun
    source: DataRun
    embodiment: str = "kinova"

    @property
    def title(self) -> str:
        """World model, source and embodiment."""
        return f"{self.world_model.title}-{self.source.embodiment}-to-{self.embodiment}"

    @property
    def stem(self) -> str:
        """World model, source and embodiment."""
        return f"{self.world_model.stem}-{self.source.embodiment}-to-{self.embodiment}"

    @property
    def needs(self) -> tuple[BenchRun, ...]:
        """A world model and episodes."""
        return (self.world_model, self.source)

    @property
    def settings(self) -> ReplayConfig:
        """Task and embodiment."""
        return ReplayConfig(self.source.task, self.embodiment)

    @property
    def size(self) -> float:
        """Episodes of usual length by one arm."""
        return self.source.size

    @property
    def learnt_from(self) -> tuple[SourceSize, ...]:
        """Sources of the world model."""
        return self.world_model.learnt_from

    def make(self, folder: Path, folder_of: FolderOf) -> dict[str, Any]:
        """Replay; returns outcome and path errors of each episode."""
        model = self.world_model
        target = None if METHODS[model.method].learns_action_decoder else folder_of(model.target)  # to fit a decoder to
        replay_dataset(self.settings, folder_of(model), folder_of(self.source), folder, target=target)
        record = read_json(folder / "replay.json")
        return {name: record[name] for name in ("summary", "episodes", "fitted_decoder") if name in record}


@dataclass(frozen=True)
class SourceProbeRun(BenchRun):
    """Accuracy of a classifier that predicts the source of a latent action, where sources show the same scenes."""

    kind: ClassVar[str] = "source-probe"
    seconds: ClassVar[float] = 20.0
    world_model: WorldModelRun
    sources: tuple[DataRun, ...]

    @property
    def title(self) -> str:
        """World model."""
        return self.world_model.title

    @property
    def stem(self) -> str:
        """World model."""
        return self.world_model.stem

    @property
    def needs(self) -> tuple[BenchRun, ...]:
        """A world model and episodes of each source."""
        return (self.world_model, *self.sources)

    @property
    def settings(self) -> dict[str, Any]:
        """Inputs of the classifier."""
        return {"given": [field.name for field in fields(SourceAccuracy)]}

    @property
    def learnt_from(self) -> tuple[SourceSize, ...]:
        """Sources of the world model."""
        return self.world_model.learnt_from

    def make(self, folder: Path, folder_of: FolderOf) -> dict[str, Any]:
        """Label and classify; only the accuracy is kept."""
        del folder
        return asdict(probe_sources(folder_of(self.world_model), [folder_of(data) for data in self.sources]))


@dataclass(frozen=True)
class ActionProbeRun(BenchRun):
    """The same classifier on nearly true actions, for comparison with latent actions."""

    kind: ClassVar[str] = "action-probe"
    seconds: ClassVar[float] = 30.0
    target: DataRun
    auxiliary: DataRun

    @property
    def title(self) -> str:
        """Task."""
        return self.target.task

    @property
    def needs(self) -> tuple[BenchRun, ...]:
        """The same scenes twice."""
        return (self.target, self.auxiliary)

    @property
    def settings(self) -> dict[str, Any]:
        """Nothing more than the datasets."""
        return {}

    def make(self, folder: Path, folder_of: FolderOf) -> dict[str, Any]:
        """Retarget and classify; only the accuracy is kept."""
        del folder
        return {"actions": probe_actions(folder_of(self.target), folder_of(self.auxiliary))}
