"""Does the doubt of a policy foresee its failures? The area under the curve of an early score against the outcome.

The score of an episode is the mean doubt over its first action chunks, as many as the shortest episode has: failures
last longer, and a maximum over whole episodes would tell their length. An area of 0.5 is chance, and 1 means that every
failure had more doubt than every success.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.evaluation.evaluations import RolloutRecord
from glam.evaluation.statistics import Interval, normal_quantile


@dataclass(frozen=True)
class Foresight:
    """Ability of early doubt to tell failures from successes."""

    failures: int
    successes: int
    chunks: int
    """Number of first chunks that are looked at."""
    area: Interval
    """Area under the curve, 95 % (Hanley and McNeil, 1982)."""

    @property
    def sentence(self) -> str:
        """The finding in words."""
        found = f"{self.area.estimate:.2f} [{self.area.low:.2f}, {self.area.high:.2f}]"
        counts = f"{self.failures} failures, {self.successes} successes"
        return f"doubt over the first {self.chunks} chunks foresees failure with an area of {found} ({counts})"


def foresight(records: Sequence[RolloutRecord]) -> Foresight | None:
    """Foresight of an evaluation; None where doubt is not known, or all episodes end alike."""
    if not all(record.doubts for record in records):
        return None
    chunks = min(len(record.doubts) for record in records)
    scores = [float(np.mean(record.doubts[:chunks])) for record in records]
    failed = np.array([score for score, record in zip(scores, records, strict=True) if not record.is_success])
    solved = np.array([score for score, record in zip(scores, records, strict=True) if record.is_success])
    if not len(failed) or not len(solved):
        return None
    return Foresight(len(failed), len(solved), chunks, area_under_curve(failed, solved))


def area_under_curve(high: NDArray[np.float64], low: NDArray[np.float64]) -> Interval:
    """Probability that a score of the first kind exceeds one of the second, ties counting half, with its interval."""
    larger = float((high[:, None] > low[None]).mean() + 0.5 * (high[:, None] == low[None]).mean())
    of_two_high, of_two_low = larger / (2.0 - larger), 2.0 * larger**2 / (1.0 + larger)
    spread = larger * (1.0 - larger)
    spread += (len(high) - 1) * (of_two_high - larger**2) + (len(low) - 1) * (of_two_low - larger**2)
    margin = normal_quantile(0.975) * float(np.sqrt(max(spread, 0.0) / (len(high) * len(low))))
    return Interval(larger, max(0.0, larger - margin), min(1.0, larger + margin))
