"""Trials of one method on one task, all trainings together, and the comparison of two methods.

The interval over trainings decides wherever there is one: see `glam.evaluation.trainings`. Where a method has been
trained once, the interval is that of its trials, and every sentence says that the spread of trainings is unknown.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from glam.evaluation.comparison import PairedComparison, SuccessComparison, SuccessCount
from glam.evaluation.statistics import Interval, newcombe, newcombe_lower, wilson
from glam.evaluation.trainings import Outcomes, difference_over_trainings, rate_over_trainings
from glam.reports.bars import spread
from results.record import GridRecord, RecordedCell

EVALUATION = "evaluation"
UNKNOWN = "one training: spread of trainings unknown"
Scenes = tuple[int, str]
"""Seed of the first scene of an evaluation, and the outcome of this one and of those that follow, as zeros and ones."""


@dataclass(frozen=True)
class Trials:
    """Trials of a method; none if it has not been run."""

    name: str
    planned: int
    """Trainings of the grid."""
    successes: int = 0
    episodes: int = 0
    trainings: Mapping[int, Scenes] = field(default_factory=dict)
    """By seed."""
    failed_stages: Mapping[str, int] = field(default_factory=dict)
    cells: tuple[RecordedCell, ...] = ()
    results: tuple[Mapping[str, Any], ...] = ()

    @property
    def is_run(self) -> bool:
        """True if there are trials."""
        return self.episodes > 0

    @property
    def rate(self) -> Interval:
        """With the interval that decides: over trainings, or that of the trials of a single training."""
        return next((rate_over_trainings(table) for table in self.table), self.rate_of_trials)

    @property
    def rate_of_trials(self) -> Interval:
        """With its Wilson interval, which holds for these trainings alone."""
        return wilson(self.successes, self.episodes)

    @property
    def table(self) -> tuple[Outcomes, ...]:
        """Outcomes of the trainings, where there are several that were tried in the same scenes."""
        if len(self.trainings) < 2 or len(set(_scenes(self).values())) > 1:
            return ()
        return (np.array([[each == "1" for each in outcomes] for _, outcomes in self.trainings.values()]),)

    @property
    def rates(self) -> tuple[float, ...]:
        """Of each training."""
        return tuple(outcomes.count("1") / len(outcomes) for _, outcomes in self.trainings.values())

    @property
    def percent(self) -> str:
        """Rate and interval in words."""
        return f"{100 * self.rate.estimate:.1f} % {bounds(self.rate)}"

    @property
    def spread(self) -> str:
        """Spread over trainings."""
        return spread(self.rates) if len(self.rates) > 1 else UNKNOWN

    def only(self, seeds: Collection[int]) -> "Trials":
        """Some of its trainings."""
        kept = {seed: tried for seed, tried in self.trainings.items() if seed in seeds}
        outcomes = "".join(outcomes for _, outcomes in kept.values())
        return Trials(self.name, len(kept), outcomes.count("1"), len(outcomes), kept)

    @property
    def failures(self) -> str:
        """Failures by stage, the most frequent first."""
        ordered = sorted(self.failed_stages.items(), key=lambda item: (-item[1], item[0]))
        return ", ".join(f"{stage} {count}" for stage, count in ordered) or "none"


def trials(record: GridRecord, name: str, wanted: Callable[[RecordedCell], bool]) -> Trials:
    """The evaluations of the cells that are wanted, pooled."""
    planned = [cell for cell in record.cells if cell.kind == EVALUATION and wanted(cell)]
    found = [(cell, run.result) for cell, run in record.done(EVALUATION) if wanted(cell)]
    stages: Counter[str] = Counter()
    for _, result in found:
        stages.update(result["failed_stages"])
    return Trials(
        name=name,
        planned=len(planned),
        successes=sum(result["successes"] for _, result in found),
        episodes=sum(result["episodes"] for _, result in found),
        trainings={cell.seed: (result["first_seed"], result["outcomes"]) for cell, result in found},
        failed_stages=stages,
        cells=tuple(planned),
        results=tuple(result for _, result in found),
    )


def of_method(record: GridRecord, task: str, method: str, detail: str = "") -> Trials:
    """Trials by the names of a cell."""
    return trials(record, method, lambda cell: (cell.task, cell.method, cell.detail) == (task, method, detail))


def comparison(task: str, a: Trials, b: Trials) -> SuccessComparison:
    """A against B in the trainings that both have, by the interval that decides; paired in the same scenes."""
    a, b = _alike(a, b)
    counts = (a.successes, a.episodes, b.successes, b.episodes)
    sides = [SuccessCount(one.name, one.successes, one.episodes) for one in (a, b)]
    difference, at_least = newcombe(*counts), newcombe_lower(*counts)
    for tables in _tables(a, b):
        difference = difference_over_trainings(*tables)
        at_least = difference_over_trainings(*tables, confidence=0.9).low  # 95 % on one side
    verdict = (task, sides[0], sides[1], difference, at_least)
    if _scenes(a) != _scenes(b):
        return SuccessComparison(*verdict)
    pairs = [
        (mine, its)
        for seed, (_, outcomes) in a.trainings.items()
        for mine, its in zip(outcomes, b.trainings[seed][1], strict=True)
    ]
    return PairedComparison(*verdict, pairs.count(("1", "0")), pairs.count(("0", "1")))


def difference_of_trials(a: Trials, b: Trials) -> Interval:
    """The Newcombe interval of the same trials, which holds for these trainings alone."""
    a, b = _alike(a, b)
    return newcombe(a.successes, a.episodes, b.successes, b.episodes)


def in_words(task: str, a: Trials, b: Trials) -> str:
    """A comparison as a sentence, where the task is known."""
    return f"{comparison(task, a, b).sentence.removeprefix(f'{task}: ')}; {basis(a, b)}"


def basis(a: Trials, b: Trials) -> str:
    """What the interval of a comparison rests on."""
    count = len(_alike(a, b)[0].trainings)
    return f"over {count} trainings each" if _tables(a, b) else UNKNOWN


def best(methods: Sequence[Trials]) -> Trials:
    """The most successful of those that have been run."""
    return max((one for one in methods if one.is_run), key=lambda one: one.rate.estimate)


def bounds(interval: Interval) -> str:
    """Both ends of a rate in percent."""
    return f"[{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def verdict(a: Trials, b: Trials) -> str:
    """Significance of the difference of A and B in words, and what it rests on."""
    found = comparison("", a, b).difference
    word = "significantly better" if found.estimate > 0 else "significantly worse"
    return f"{word if found.excludes_zero else 'not statistically significant'} ({basis(a, b)})"


def _alike(a: Trials, b: Trials) -> tuple[Trials, Trials]:
    """With the trainings that both have, where there are such: no side gets more chances than the other."""
    seeds = a.trainings.keys() & b.trainings.keys()
    return (a.only(seeds), b.only(seeds)) if seeds else (a, b)


def _tables(a: Trials, b: Trials) -> tuple[tuple[Outcomes, Outcomes], ...]:
    """Outcomes of both in the same scenes; nothing where trainings are too few to tell how much they differ."""
    a, b = _alike(a, b)
    if not (a.table and b.table) or set(_scenes(a).values()) != set(_scenes(b).values()):
        return ()
    return ((a.table[0], b.table[0]),)


def _scenes(one: Trials) -> dict[int, tuple[int, int]]:
    return {seed: (first, len(outcomes)) for seed, (first, outcomes) in one.trainings.items()}
