"""Comparison of two evaluations of one task: the difference in success, and whether it is statistically significant."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from glam.core.errors import GlamError
from glam.evaluation.evaluations import RolloutRecord, read_records
from glam.evaluation.statistics import Interval, newcombe, newcombe_lower

Records = Sequence[RolloutRecord]


@dataclass(frozen=True)
class SuccessCount:
    """Successes of one side of a comparison."""

    name: str
    successes: int
    trials: int


@dataclass(frozen=True)
class SuccessComparison:
    """A against B on one task, over all their trials."""

    task: str
    a: SuccessCount
    b: SuccessCount
    difference: Interval
    """Rate of A minus rate of B, 95 %, two-sided."""
    at_least: float
    """The same difference is at least this, 95 %, one-sided."""

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        a, b, points = self.a, self.b, self.difference
        counts = f"{a.name} {a.successes}/{a.trials}, {b.name} {b.successes}/{b.trials}"
        if not points.excludes_zero:
            return f"{self.task}: no significant difference between {a.name} and {b.name}: {_range(points)} ({counts})"
        if points.estimate > 0:
            return f"{self.task}: {a.name} is better than {b.name}: {_range(points)} ({counts})"
        turned = Interval(-points.estimate, -points.high, -points.low)
        return f"{self.task}: {b.name} is better than {a.name}: {_range(turned)} ({counts})"


@dataclass(frozen=True)
class PairedComparison(SuccessComparison):
    """A against B where both were tried on the same scenes.

    The interval is that of independent trials, which is conservative here: both sides have the same hard scenes. It
    ignores run-to-run variation of the trainings.
    """

    gained: int
    """Scenes in which A succeeds and B fails."""
    lost: int
    """Scenes in which A fails and B succeeds."""

    @property
    def sentence(self) -> str:
        """The verdict in words, and the scenes in which only one of the two succeeds."""
        return f"{super().sentence}; {self.pairs}"

    @property
    def pairs(self) -> str:
        """The scenes in which only one of the two succeeds, in words."""
        wins = f"{self.a.name} succeeds in {self.gained} where {self.b.name} fails"
        return f"in the same {self.a.trials} scenes {wins}, and fails in {self.lost} where {self.b.name} succeeds"


def compare_runs(a: Path, b: Path) -> SuccessComparison:
    """Compare two evaluations by their folders; named by their methods, or by folders when the methods are the same."""
    records_a, records_b = read_records(a), read_records(b)
    names = _one(records_a, "method"), _one(records_b, "method")
    return compare(records_a, records_b, names if names[0] != names[1] else (str(a), str(b)))


def compare(a: Records, b: Records, names: tuple[str, str]) -> SuccessComparison:
    """Compare two sets of records of one task; paired when both sides tried the same scenes."""
    tasks = _one(a, "task"), _one(b, "task")
    if tasks[0] != tasks[1]:
        raise GlamError(f"{names[0]} did {tasks[0]} and {names[1]} did {tasks[1]}; compare evaluations of one task")
    for side in (a, b):
        _one(side, "embodiment")  # the same seed on another embodiment is another episode
    one, other = _outcome(a, names[0]), _outcome(b, names[1])
    counts = (one.successes, one.trials, other.successes, other.trials)
    verdict = (tasks[0], one, other, newcombe(*counts), newcombe_lower(*counts))
    wins_a, wins_b = _by_scene(a), _by_scene(b)
    if wins_a.keys() != wins_b.keys():
        return SuccessComparison(*verdict)
    gained = sum(wins_a[key] and not wins_b[key] for key in wins_a)
    lost = sum(wins_b[key] and not wins_a[key] for key in wins_a)
    return PairedComparison(*verdict, gained, lost)


def _one(records: Records, field: str) -> str:
    values = sorted({str(getattr(record, field)) for record in records})
    if len(values) != 1:
        raise GlamError(f"one side of a comparison needs exactly one {field}; got {', '.join(values) or 'no records'}")
    return values[0]


def _outcome(records: Records, name: str) -> SuccessCount:
    return SuccessCount(name, sum(record.is_success for record in records), len(records))


def _by_scene(records: Records) -> dict[tuple[int, int], bool]:
    """Success by test seed and by the rank of the training seed: trainings of two methods share no more than that."""
    ranks = {seed: rank for rank, seed in enumerate(sorted({record.training_seed for record in records}))}
    return {(ranks[record.training_seed], record.test_seed): record.is_success for record in records}


def _range(points: Interval) -> str:
    estimate, low, high = (f"{100 * value:+.1f}" for value in (points.estimate, points.low, points.high))
    return f"{estimate} points, 95 % interval {low} to {high}"
