"""The stages of the pipeline as nodes of a benchmark. All of them use one core."""

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from glam.bench.node import Node, Place
from glam.core.configs import to_json
from glam.core.files import read_json
from glam.evaluation.records import EpisodeRecord, read_records
from glam.recipes.policies import policy
from glam.recipes.world_models import METHODS, Scale, world_model
from glam.sim.tracker import PERFECT_TRACKER, Tracker
from glam.stages.collect import CollectConfig, collect
from glam.stages.evaluate import EvaluateConfig, evaluate
from glam.stages.replay import ReplayConfig, replay_dataset
from glam.stages.source_probe import probe_sources
from glam.stages.train_policy import Inputs, TrainPolicyConfig, train_policy
from glam.stages.train_world_model import WorldModelConfig, train_world_model
from glam.training import metrics
from glam.training.recorder import METRICS
from glam.world_models.lapa import LapaConfig


@dataclass(frozen=True)
class Data(Node):
    """Demonstrations."""

    kind: ClassVar[str] = "data"
    seconds: ClassVar[float] = 60.0
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
        """How they are recorded."""
        return {"collect": to_json(self._config), "episodes": self.episodes}

    def make(self, folder: Path, place: Place) -> dict[str, Any]:
        """Record them."""
        del place
        done = collect(self._config, folder, self.episodes, workers=1)
        return {"episodes": done.episodes, "discarded": done.discarded}

    @property
    def _config(self) -> CollectConfig:
        return CollectConfig(self.task, self.embodiment, self.seed, tracker=self.tracker)


@dataclass(frozen=True)
class WorldModel(Node):
    """Stage 1."""

    kind: ClassVar[str] = "world-model"
    seconds: ClassVar[float] = 660.0
    method: str
    target: Data
    auxiliary: tuple[Data, ...]
    seed: int = 0
    scale: Scale = "cpu"

    @property
    def title(self) -> str:
        """Method, task, flaws of the auxiliary data, and training seed."""
        return f"{self.method}-{self.target.task}{self.auxiliary[0].flaws}-s{self.seed}"

    @property
    def needs(self) -> tuple[Node, ...]:
        """Its datasets."""
        return (self.target, *self.auxiliary)

    @property
    def settings(self) -> WorldModelConfig:
        """The recipe."""
        recipe = world_model(self.method, self.scale)
        return replace(recipe, fit=replace(recipe.fit, seed=self.seed, threads=1))

    def make(self, folder: Path, place: Place) -> dict[str, Any]:
        """Train; tells the probes at the end."""
        train_world_model(self.settings, place(self.target), [place(data) for data in self.auxiliary], folder)
        lines = metrics.read(folder / METRICS)
        probes = [line for line in lines if line["split"] == "validation"][-1]
        return {"probes": probes, "training_seconds": max(line["seconds"] for line in lines)}


@dataclass(frozen=True)
class Replay(Node):
    """Cross-source replay on a robot, open loop."""

    kind: ClassVar[str] = "replay"
    seconds: ClassVar[float] = 30.0
    world_model: WorldModel
    source: Data
    robot: str = "kinova"

    @property
    def title(self) -> str:
        """World model, source and robot."""
        return f"{self.world_model.title}-{self.source.embodiment}-to-{self.robot}"

    @property
    def needs(self) -> tuple[Node, ...]:
        """A world model and episodes."""
        return (self.world_model, self.source)

    @property
    def settings(self) -> ReplayConfig:
        """What is replayed."""
        return ReplayConfig(self.source.task, self.robot)

    def make(self, folder: Path, place: Place) -> dict[str, Any]:
        """Replay; tells outcome and path of each episode."""
        model = self.world_model
        target = place(model.target) if isinstance(METHODS[model.method], LapaConfig) else None  # it learns no decoder
        replay_dataset(self.settings, place(model), place(self.source), folder, target=target)
        record = read_json(folder / "replay.json")
        return {name: record[name] for name in ("summary", "episodes", "fitted_decoder") if name in record}


@dataclass(frozen=True)
class SourceProbe(Node):
    """Whether latent actions betray their source, where sources show the same scenes."""

    kind: ClassVar[str] = "source-probe"
    seconds: ClassVar[float] = 20.0
    world_model: WorldModel
    sources: tuple[Data, ...]

    @property
    def title(self) -> str:
        """World model."""
        return self.world_model.title

    @property
    def needs(self) -> tuple[Node, ...]:
        """A world model and episodes of each source."""
        return (self.world_model, *self.sources)

    @property
    def settings(self) -> dict[str, Any]:
        """Nothing more."""
        return {}

    def make(self, folder: Path, place: Place) -> dict[str, Any]:
        """Label and classify; nothing is kept but the answer."""
        del folder
        found = probe_sources(place(self.world_model), [place(data) for data in self.sources])
        return {"latents": found.latents, "poses": found.poses}


@dataclass(frozen=True)
class Policy(Node):
    """Stage 2."""

    kind: ClassVar[str] = "policy"
    seconds: ClassVar[float] = 600.0
    method: str
    target: Data
    auxiliary: tuple[Data, ...] = ()
    world_model: WorldModel | None = None
    seed: int = 0
    scale: Scale = "cpu"

    @property
    def title(self) -> str:
        """Method, with that of its world model, task and training seed."""
        method = self.method if self.world_model is None else f"{self.method}-{self.world_model.method}"
        return f"{method}-{self.target.task}-{self.target.episodes}-s{self.seed}"

    @property
    def needs(self) -> tuple[Node, ...]:
        """Datasets and a world model, if any."""
        models = () if self.world_model is None else (self.world_model,)
        return (self.target, *self.auxiliary, *models)

    @property
    def settings(self) -> TrainPolicyConfig:
        """The recipe."""
        recipe = policy(self.method, self.scale)
        return replace(recipe, fit=replace(recipe.fit, seed=self.seed, threads=1))

    def make(self, folder: Path, place: Place) -> dict[str, Any]:
        """Train; tells the losses at the end."""
        model = None if self.world_model is None else place(self.world_model)
        inputs = Inputs(place(self.target), tuple(place(data) for data in self.auxiliary), model)
        train_policy(self.settings, inputs, folder)
        lines = metrics.read(folder / METRICS)
        return {"last": lines[-1], "training_seconds": max(line["seconds"] for line in lines)}


@dataclass(frozen=True)
class Evaluation(Node):
    """Closed-loop trials of a policy from unseen configurations."""

    kind: ClassVar[str] = "evaluation"
    seconds: ClassVar[float] = 60.0
    policy: Policy
    robot: str = "kinova"
    episodes: int = 200

    @property
    def title(self) -> str:
        """Policy and robot."""
        return f"{self.policy.title}-on-{self.robot}"

    @property
    def needs(self) -> tuple[Node, ...]:
        """A policy."""
        return (self.policy,)

    @property
    def settings(self) -> EvaluateConfig:
        """What is tried."""
        return EvaluateConfig(self.policy.target.task, self.robot, self.episodes)

    def make(self, folder: Path, place: Place) -> dict[str, Any]:
        """Try; tells every outcome, in the order of the configurations."""
        evaluate(self.settings, place(self.policy), folder, workers=1)
        return outcomes(read_records(folder))


def outcomes(records: tuple[EpisodeRecord, ...]) -> dict[str, Any]:
    """An evaluation in few words: each outcome, where the failures lie, and how smooth the movements were."""
    hands = [hand for record in records for hand in record.smoothness]
    smoothness = {"jerk": [hand.jerk for hand in hands], "fft": [hand.fft for hand in hands]}
    return {
        "first_seed": records[0].test_seed,
        "outcomes": "".join("01"[record.is_success] for record in records),
        "successes": sum(record.is_success for record in records),
        "episodes": len(records),
        "failed_stages": dict(Counter(record.failed_stage for record in records if not record.is_success)),
        "smoothness": {name: float(np.mean(scores)) for name, scores in smoothness.items() if scores},
    }
