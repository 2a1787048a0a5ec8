"""Trials of one method on one task, all trainings together, and the comparison of two methods."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from glam.evaluation.comparison import PairedComparison, SuccessComparison, SuccessCount
from glam.evaluation.statistics import Interval, newcombe, newcombe_lower, welch, wilson
from glam.reports.bars import points, spread
from results.record import GridRecord, RecordedCell

EVALUATION = "evaluation"
_FEWEST_TRAININGS = 3
"""Of each side, for an interval over trainings that is not wider than all that can be."""
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
        """With its Wilson interval."""
        return wilson(self.successes, self.episodes)

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
        return spread(self.rates)

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
    """A against B in the trainings that both have; paired where these tried the same scenes."""
    a, b = _alike(a, b)
    counts = (a.successes, a.episodes, b.successes, b.episodes)
    sides = [SuccessCount(one.name, one.successes, one.episodes) for one in (a, b)]
    verdict = (task, sides[0], sides[1], newcombe(*counts), newcombe_lower(*counts))
    if _scenes(a) != _scenes(b):
        return SuccessComparison(*verdict)
    pairs = [
        (mine, its)
        for seed, (_, outcomes) in a.trainings.items()
        for mine, its in zip(outcomes, b.trainings[seed][1], strict=True)
    ]
    return PairedComparison(*verdict, pairs.count(("1", "0")), pairs.count(("0", "1")))


def in_words(task: str, a: Trials, b: Trials) -> str:
    """A comparison as a sentence, where the task is known."""
    found = comparison(task, a, b).sentence.removeprefix(f"{task}: ")
    return "; ".join([found, *(f"over trainings {points(gap)}" for gap in _over_trainings(a, b))])


def best(methods: Sequence[Trials]) -> Trials:
    """The most successful of those that have been run."""
    return max((one for one in methods if one.is_run), key=lambda one: one.rate.estimate)


def bounds(interval: Interval) -> str:
    """Both ends of a rate in percent."""
    return f"[{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def verdict(a: Trials, b: Trials) -> str:
    """Significance of the difference of A and B in words: for these trainings, and over trainings."""
    found = comparison("", a, b).difference
    if not found.excludes_zero:
        return "not statistically significant"
    word = "significantly better" if found.estimate > 0 else "significantly worse"
    gaps = _over_trainings(a, b)
    if not gaps:
        return f"{word} ({_trainings(len(_alike(a, b)[0].rates))})"
    return word if gaps[0].excludes_zero else f"{word} in these trainings; over trainings {points(gaps[0])}"


def _trainings(count: int) -> str:
    return "one training each" if count == 1 else f"{count} trainings each"


def _alike(a: Trials, b: Trials) -> tuple[Trials, Trials]:
    """With the trainings that both have, where there are such: no side gets more chances than the other."""
    seeds = a.trainings.keys() & b.trainings.keys()
    return (a.only(seeds), b.only(seeds)) if seeds else (a, b)


def _over_trainings(a: Trials, b: Trials) -> tuple[Interval, ...]:
    """The difference as other trainings would give it; nothing where there are too few to say."""
    a, b = _alike(a, b)
    return (welch(a.rates, b.rates),) if min(len(a.rates), len(b.rates)) >= _FEWEST_TRAININGS else ()


def _scenes(one: Trials) -> dict[int, tuple[int, int]]:
    return {seed: (first, len(outcomes)) for seed, (first, outcomes) in one.trainings.items()}
