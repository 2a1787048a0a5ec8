"""Policies and their evaluations as runs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from glam.bench.run import BenchRun, FolderOf, SourceSize
from glam.bench.runs.data import DataRun, amounts, another_hand, episode_size
from glam.bench.runs.stage_one import Change, WorldModelRun, with_changes
from glam.bench.trajectories import trajectories
from glam.core.configs import to_json
from glam.core.files import read_json
from glam.core.simulated import Split
from glam.evaluation.evaluations import RolloutRecord, read_records
from glam.policies.trained import call_milliseconds, load
from glam.recipes import Preset, policy
from glam.stages.evaluate import EvaluateConfig, Feature, evaluate
from glam.stages.policy_inputs import Inputs
from glam.stages.train_policy import HELD_OUT, TrainPolicyConfig, train_policy
from glam.training import metrics
from glam.training.recorder import METRICS
from glam_client.action_chunking import DEFAULT_CHUNKING, ActionChunking


@dataclass(frozen=True)
class PolicyRun(BenchRun):
    """Stage 2."""

    kind: ClassVar[str] = "policy"
    seconds: ClassVar[float] = 0.055
    method: str
    target: DataRun
    auxiliary: tuple[DataRun, ...] = ()
    world_model: WorldModelRun | None = None
    seed: int = 0
    preset: Preset = "cpu"
    changes: tuple[Change, ...] = ()

    @property
    def method_title(self) -> str:
        """Method, with that of its world model."""
        return self.method if self.world_model is None else f"{self.method}-{self.world_model.method}"

    @property
    def title(self) -> str:
        """Method, task, demonstrations, training seed and changes of the recipe."""
        learnt = f"{self.method_title}-{self.target.task}-{amounts(self.target, self.auxiliary)}-s{self.seed}"
        model = self.world_model
        stage_one = () if model is None else (*model.other_tasks, *model.changes)
        hand = another_hand(self.auxiliary)
        return ", ".join([learnt, *hand, *map(str, stage_one), *map(str, self.changes)])

    @property
    def stem(self) -> str:
        """Method, task, labelled demonstrations and training seed."""
        return f"{self.method_title}-{self.target.task}-{self.target.episodes}-s{self.seed}"

    @property
    def needs(self) -> tuple[BenchRun, ...]:
        """Datasets and a world model, if any."""
        models = () if self.world_model is None else (self.world_model,)
        return (self.target, *self.auxiliary, *models)

    @property
    def settings(self) -> TrainPolicyConfig:
        """The recipe."""
        recipe = with_changes(policy(self.method, self.preset), self.changes)
        return replace(recipe, fit=replace(recipe.fit, seed=self.seed, threads=1))

    @property
    def size(self) -> float:
        """Steps."""
        return self.settings.fit.steps

    @property
    def learnt_from(self) -> tuple[SourceSize, ...]:
        """Its datasets, without further ones that only its world model has seen."""
        return tuple(data.learnt for data in (self.target, *self.auxiliary))

    def make(self, folder: Path, folder_of: FolderOf) -> dict[str, Any]:
        """Train; returns the last losses, held-out errors and the median time of a call with one observation."""
        model = None if self.world_model is None else folder_of(self.world_model)
        inputs = Inputs(folder_of(self.target), tuple(folder_of(data) for data in self._others), model)
        train_policy(self.settings, inputs, folder)
        lines = metrics.read(folder / METRICS)
        seconds = max(line["seconds"] for line in lines)
        return {
            "last": lines[-1],
            "held_out": read_json(folder / f"{HELD_OUT}.json"),
            "training_seconds": seconds,
            "policy_call_ms": float(np.median(call_milliseconds(load(folder)))),
        }

    @property
    def _others(self) -> tuple[DataRun, ...]:
        """Auxiliary data. Without any, a latent policy uses the target's latent actions, so that batches stay alike."""
        return self.auxiliary if self.auxiliary or self.world_model is None else (self.target,)


@dataclass(frozen=True)
class EvaluationRun(BenchRun):
    """Closed-loop trials of a policy from unseen scenes."""

    kind: ClassVar[str] = "evaluation"
    seconds: ClassVar[float] = 0.12
    policy: PolicyRun
    embodiment: str = "kinova"
    episodes: int = 200
    films: int = 3
    """Successes that are filmed, and as many failures: the first ones by seed."""
    n_action_steps: int = EvaluateConfig.n_action_steps
    temporal_ensemble_weight: float = EvaluateConfig.temporal_ensemble_weight
    split: Split = "validation"
    """`test` in final tables only."""
    without: tuple[Feature, ...] = ()
    """What the policy knows and has to do without."""

    @property
    def title(self) -> str:
        """Policy, embodiment, settings of action chunking that differ from the default, and what is hidden."""
        usual, words = EvaluateConfig, [f"{self.policy.title}-on-{self.embodiment}"]
        if self.n_action_steps != usual.n_action_steps:
            words.append(f"n_action_steps {self.n_action_steps}")
        if self.temporal_ensemble_weight != usual.temporal_ensemble_weight:
            words.append(f"temporal ensembling weight {self.temporal_ensemble_weight:g}")
        words += [f"without {name}" for name in self.without]
        return ", ".join(words)

    @property
    def stem(self) -> str:
        """Policy and embodiment."""
        return f"{self.policy.stem}-on-{self.embodiment}"

    @property
    def needs(self) -> tuple[BenchRun, ...]:
        """A policy."""
        return (self.policy,)

    @property
    def settings(self) -> EvaluateConfig | dict[str, Any]:
        """Settings of the evaluation; where nothing is hidden, nothing is said of it, as in older names."""
        hidden = {"without": sorted(self.without)}
        return to_json(self._config) | hidden if self.without else self._config

    @property
    def _config(self) -> EvaluateConfig:
        task = self.policy.target.task
        return EvaluateConfig(
            task,
            self.embodiment,
            self.episodes,
            self.split,
            n_action_steps=self.n_action_steps,
            temporal_ensemble_weight=self.temporal_ensemble_weight,
            films=self.films,
        )

    @property
    def size(self) -> float:
        """Episodes of usual length by one arm."""
        return self.episodes * episode_size(self.policy.target.task)

    @property
    def learnt_from(self) -> tuple[SourceSize, ...]:
        """Sources of the policy."""
        return self.policy.learnt_from

    def make(self, folder: Path, folder_of: FolderOf) -> dict[str, Any]:
        """Evaluate; returns every outcome, in the order of the scenes."""
        return self.make_with(1, folder, folder_of)

    def make_with(self, cores: int, folder: Path, folder_of: FolderOf) -> dict[str, Any]:
        """Evaluate with so many processes."""
        evaluate(self._config, folder_of(self.policy), folder, without=self.without, workers=cores)
        return outcomes(read_records(folder))


@dataclass(frozen=True)
class TrajectoriesRun(BenchRun):
    """Joint trajectories of policies along demonstrations of an expert."""

    kind: ClassVar[str] = "trajectories"
    seconds: ClassVar[float] = 30.0
    policies: tuple[PolicyRun, ...]
    demonstrations: DataRun

    @property
    def title(self) -> str:
        """All policies."""
        return "-and-".join(policy.title for policy in self.policies)

    @property
    def needs(self) -> tuple[BenchRun, ...]:
        """Policies and demonstrations that none of them has seen."""
        return (*self.policies, self.demonstrations)

    @property
    def settings(self) -> ActionChunking:
        """Action chunking."""
        return DEFAULT_CHUNKING

    def make(self, folder: Path, folder_of: FolderOf) -> dict[str, Any]:
        """Act along the demonstrations; everything is in the run record."""
        del folder
        named = {policy.method_title.removeprefix("latent-"): folder_of(policy) for policy in self.policies}
        return trajectories(named, folder_of(self.demonstrations))


def outcomes(records: tuple[RolloutRecord, ...]) -> dict[str, Any]:
    """Summary of an evaluation: each outcome, the stages of the failures, and smoothness."""
    successes = [record for record in records if record.is_success]
    return {
        "first_seed": records[0].test_seed,
        "outcomes": "".join("01"[record.is_success] for record in records),
        "successes": len(successes),
        "episodes": len(records),
        "failed_stages": dict(Counter(record.failed_stage for record in records if not record.is_success)),
        "smoothness": _smoothness(records),
        "smoothness_of_successes": _smoothness(successes),
    }


def _smoothness(records: Sequence[RolloutRecord]) -> dict[str, float]:
    """Mean and standard deviation of both scores over all hands that moved; empty when none did."""
    scores = np.array([(hand.jerk, hand.fft) for record in records for hand in record.smoothness])
    if not len(scores):
        return {}
    jerk, fft = scores.mean(axis=0)
    jerk_deviation, fft_deviation = scores.std(axis=0, ddof=1) if len(scores) > 1 else (0.0, 0.0)
    found = {"jerk": jerk, "fft": fft, "jerk_deviation": jerk_deviation, "fft_deviation": fft_deviation}
    return {name: float(value) for name, value in found.items()} | {"movements": float(len(scores))}
