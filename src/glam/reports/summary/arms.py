"""Evaluations sorted: what was tried on the same configurations, and which trainings differ in their seed alone."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from glam.core.errors import GlamError
from glam.evaluation.comparison import Comparison, compare
from glam.evaluation.evaluations import Evaluation
from glam.evaluation.records import EpisodeRecord
from glam.statistics.intervals import Interval, wilson
from glam_client.action_chunking import ActionChunking

Group = tuple[Evaluation, ...]

Key = TypeVar("Key")


@dataclass(frozen=True)
class Arm:
    """One method in a contest: its trainings, which differ in their seeds alone."""

    name: str
    """Unlike that of any other arm of the contest."""
    evaluations: Group

    @cached_property
    def records(self) -> tuple[EpisodeRecord, ...]:
        """Of all trainings, with the number of each as its seed: two trainings may share theirs."""
        return tuple(
            replace(record, training_seed=number)
            for number, evaluation in enumerate(self.evaluations)
            for record in evaluation.records
        )

    @property
    def successes(self) -> int:
        """Of all trainings together."""
        return sum(record.is_success for record in self.records)

    @property
    def rate(self) -> Interval:
        """Success rate over all episodes, with its Wilson interval."""
        return wilson(self.successes, len(self.records))

    @property
    def rates(self) -> tuple[float, ...]:
        """Success rate of each training."""
        return tuple(
            sum(record.is_success for record in evaluation.records) / len(evaluation.records)
            for evaluation in self.evaluations
        )

    @property
    def data_words(self) -> str:
        """What it learnt from; empty when that is not known."""
        return self.evaluations[0].lineage.data_words

    @property
    def digests(self) -> frozenset[str]:
        """Of its policies."""
        return frozenset(evaluation.lineage.digest for evaluation in self.evaluations)


@dataclass(frozen=True)
class Contest:
    """Everything that was tried on the same configurations of one task."""

    task: str
    embodiment: str
    first_seed: int
    arms: tuple[Arm, ...]
    """The most successful first."""

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The most successful arm against each of the others."""
        best, *others = self.arms
        return tuple(compare(best.records, other.records, (best.name, other.name)) for other in others)

    @property
    def evaluations(self) -> Group:
        """Of all arms."""
        return tuple(evaluation for arm in self.arms for evaluation in arm.evaluations)


def contests(evaluations: Sequence[Evaluation]) -> tuple[Contest, ...]:
    """Sort evaluations, in whatever order they come."""
    ordered = sorted(evaluations, key=lambda one: (one.lineage.name, one.lineage.seed, str(one.root)))
    found = _grouped(ordered, _configurations)
    for group in found.values():
        _refuse_repetition(group)
    named = _named([list(_grouped(group, _method).values()) for group in found.values()])
    made = [
        Contest(*configurations, tuple(sorted(arms, key=lambda arm: -arm.rate.estimate)))
        for configurations, arms in zip(found, named, strict=True)
    ]
    return tuple(sorted(made, key=lambda contest: (contest.task, contest.embodiment, contest.first_seed)))


def _configurations(evaluation: Evaluation) -> tuple[str, str, int]:
    return evaluation.records[0].task, evaluation.records[0].embodiment, evaluation.first_seed


def _method(evaluation: Evaluation) -> tuple[str, str, ActionChunking]:
    return evaluation.lineage.name, evaluation.lineage.recipe, evaluation.chunking


def _grouped(evaluations: Sequence[Evaluation], key: Callable[[Evaluation], Key]) -> dict[Key, Group]:
    groups: dict[Key, list[Evaluation]] = defaultdict(list)
    for evaluation in evaluations:
        groups[key(evaluation)].append(evaluation)
    return {key: tuple(members) for key, members in groups.items()}


def _refuse_repetition(group: Group) -> None:
    """An episode counted twice would narrow every interval."""
    seen: dict[tuple[str, int], Evaluation] = {}
    for evaluation in group:
        for record in evaluation.records:
            other = seen.setdefault(
                (f"{_method(evaluation)} {evaluation.lineage.digest}", record.test_seed), evaluation
            )
            if other is not evaluation:
                both = f"{other.root} and {evaluation.root}"
                raise GlamError(f"{both}: the same episodes of the same policy twice; give one of the two")


def _named(contests_groups: Sequence[Sequence[Group]]) -> list[list[Arm]]:
    """Arms with the shortest names that tell them apart within each contest: method, data, executed actions, folder.

    A method that needs more words in one contest gets them in all, so that its name and colour are the same there.
    """
    arms = [[Arm(group[0].lineage.name, group) for group in groups] for groups in contests_groups]
    further: list[Callable[[Evaluation], str]] = [
        lambda one: one.lineage.data_words,
        lambda one: f"{one.chunking.n_action_steps} actions at a time",
        lambda one: f"temporal_ensemble_weight {one.chunking.temporal_ensemble_weight:g}",
        lambda one: one.root.resolve().name,
        lambda one: str(one.root),
    ]
    for words in further:
        ambiguous = {name for contest in arms for name in _told_apart(contest, words)}
        arms = [
            [replace(arm, name=_longer(arm, words)) if arm.name in ambiguous else arm for arm in contest]
            for contest in arms
        ]
    return arms


def _told_apart(arms: Sequence[Arm], words: Callable[[Evaluation], str]) -> Iterator[str]:
    """Names that several arms share and that these words would tell apart."""
    for name in {arm.name for arm in arms}:
        if len({words(arm.evaluations[0]) for arm in arms if arm.name == name}) > 1:
            yield name


def _longer(arm: Arm, words: Callable[[Evaluation], str]) -> str:
    more = words(arm.evaluations[0])
    return f"{arm.name} ({more})" if more else arm.name
