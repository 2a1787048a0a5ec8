"""Evaluations grouped by scenes, and by method: trainings that differ in their seed alone are one variant."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from glam.core.errors import GlamError
from glam.evaluation.comparison import SuccessComparison, compare
from glam.evaluation.evaluations import Evaluation, RolloutRecord
from glam.evaluation.statistics import Interval, wilson
from glam_client.action_chunking import ActionChunking

Group = tuple[Evaluation, ...]

Key = TypeVar("Key")


@dataclass(frozen=True)
class Variant:
    """One method in a comparison: its trainings, which differ in their seeds alone."""

    name: str
    """Unique in the comparison."""
    evaluations: Group

    @cached_property
    def records(self) -> tuple[RolloutRecord, ...]:
        """Records of all trainings, with the number of each as its seed: two trainings may share theirs."""
        return tuple(
            replace(record, training_seed=number)
            for number, evaluation in enumerate(self.evaluations)
            for record in evaluation.records
        )

    @property
    def successes(self) -> int:
        """Successes of all trainings together."""
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
        """Demonstrations that it was trained on; empty when that is not known."""
        return self.evaluations[0].lineage.data_words

    @property
    def digests(self) -> frozenset[str]:
        """Digests of its policies."""
        return frozenset(evaluation.lineage.digest for evaluation in self.evaluations)


@dataclass(frozen=True)
class TaskComparison:
    """All variants that were tried on the same scenes of one task."""

    task: str
    embodiment: str
    first_seed: int
    variants: tuple[Variant, ...]
    """The most successful first."""
    preferred: str = ""
    """Name of the variant to compare the others with; by default the most successful one."""

    @property
    def reference(self) -> Variant:
        """The variant that the others are compared with."""
        return next((variant for variant in self.variants if variant.name == self.preferred), self.variants[0])

    @cached_property
    def comparisons(self) -> tuple[SuccessComparison, ...]:
        """The reference against each of the others."""
        ours = self.reference
        others = [variant for variant in self.variants if variant is not ours]
        return tuple(compare(ours.records, other.records, (ours.name, other.name)) for other in others)

    @property
    def evaluations(self) -> Group:
        """Evaluations of all variants."""
        return tuple(evaluation for variant in self.variants for evaluation in variant.evaluations)


def task_comparisons(evaluations: Sequence[Evaluation], reference: str = "") -> tuple[TaskComparison, ...]:
    """Group evaluations, in whatever order they come. `reference` names the variant to compare others with."""
    ordered = sorted(evaluations, key=lambda one: (one.lineage.name, one.lineage.seed, str(one.root)))
    found = _grouped(ordered, _scenes)
    for group in found.values():
        _refuse_repetition(group)
    named = _named([list(_grouped(group, _method).values()) for group in found.values()])
    made = [
        TaskComparison(*scenes, tuple(sorted(variants, key=lambda variant: -variant.rate.estimate)), reference)
        for scenes, variants in zip(found, named, strict=True)
    ]
    return tuple(sorted(made, key=lambda compared: (compared.task, compared.embodiment, compared.first_seed)))


def _scenes(evaluation: Evaluation) -> tuple[str, str, int]:
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


def _named(task_groups: Sequence[Sequence[Group]]) -> list[list[Variant]]:
    """Variants with the shortest names that are unique in each comparison: method, data, n_action_steps, folder.

    A method that needs more words in one comparison gets them in all, so that its name and colour are the same there.
    """
    variants = [[Variant(group[0].lineage.name, group) for group in groups] for groups in task_groups]
    further: list[Callable[[Evaluation], str]] = [
        lambda one: one.lineage.data_words,
        lambda one: f"n_action_steps {one.chunking.n_action_steps}",
        lambda one: f"temporal ensembling weight {one.chunking.temporal_ensemble_weight:g}",
        lambda one: one.root.resolve().name,
        lambda one: str(one.root),
    ]
    for words in further:
        ambiguous = {name for compared in variants for name in _made_unique(compared, words)}
        variants = [
            [
                replace(variant, name=_longer(variant, words)) if variant.name in ambiguous else variant
                for variant in compared
            ]
            for compared in variants
        ]
    return variants


def _made_unique(variants: Sequence[Variant], words: Callable[[Evaluation], str]) -> Iterator[str]:
    """Names that several variants share and that these words would make unique."""
    for name in {variant.name for variant in variants}:
        if len({words(variant.evaluations[0]) for variant in variants if variant.name == name}) > 1:
            yield name


def _longer(variant: Variant, words: Callable[[Evaluation], str]) -> str:
    more = words(variant.evaluations[0])
    return f"{variant.name} ({more})" if more else variant.name
