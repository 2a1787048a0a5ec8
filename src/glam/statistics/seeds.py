"""Variation of a result from one training to the next, which more test trials cannot show.

Welch, "The generalization of Student's problem when several different population variances are involved", Biometrika 34
(1947).

Student's t is computed by hand because scipy is not a dependency of the core package, only of its tests, which compare
the quantiles with scipy's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from glam.core.errors import GlamError
from glam.statistics.intervals import Interval


@dataclass(frozen=True)
class Spread:
    """Results of several trainings that differ in their seed alone."""

    mean: float
    deviation: float
    """Sample standard deviation, with n - 1."""
    count: int


def across_seeds(values: Sequence[float]) -> Spread:
    """Mean and standard deviation of one value per training; one training has no spread and is refused."""
    if len(values) < 2:
        raise GlamError(f"{len(values)} training seed(s): a spread needs at least two")
    numbers = np.asarray(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise GlamError(f"{list(values)}: the result of every training seed must be a finite number")
    return Spread(float(numbers.mean()), float(numbers.std(ddof=1)), len(numbers))


def welch(a: Sequence[float], b: Sequence[float], confidence: float = 0.95) -> Interval:
    """Mean of A minus mean of B as other trainings would give them, two-sided; one value per training."""
    sides = [across_seeds(a), across_seeds(b)]
    difference = sides[0].mean - sides[1].mean
    parts = [side.deviation**2 / side.count for side in sides]
    if not any(parts):
        return Interval(difference, difference, difference)
    freedom = sum(parts) ** 2 / sum(part**2 / (side.count - 1) for part, side in zip(parts, sides, strict=True))
    half = student_quantile(0.5 + confidence / 2, freedom) * math.sqrt(sum(parts))
    return Interval(difference, difference - half, difference + half)


def student_quantile(probability: float, freedom: float) -> float:
    """The value below which Student's t stays with a probability from 0.5 on; at least one degree of freedom.

    With t = sqrt(freedom) tan(angle) the density is a power of the cosine, which is easily summed up.
    """
    angles = np.linspace(0.0, np.pi / 2, 100_001)
    density = np.cos(angles) ** (freedom - 1.0)
    share = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    angle = np.interp(2.0 * probability - 1.0, share / share[-1], angles)
    return math.sqrt(freedom) * math.tan(angle)
