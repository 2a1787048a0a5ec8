"""Intervals of success rates and of their differences, from counts, and the variation from one training to the next.

Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927);
Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17 (1998),
method 10. Both keep their coverage at small counts and at rates of 0 and 1, where the textbook interval has no width.

Welch, "The generalization of Student's problem when several different population variances are involved", Biometrika 34
(1947).

Intervals and Student's t are computed by hand because scipy is not a dependency of the core package, only of its tests,
which compare the results with scipy's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from glam.core.errors import GlamError


@dataclass(frozen=True)
class Interval:
    """An estimate and its confidence interval."""

    estimate: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """True if the difference is statistically significant."""
        return self.low > 0.0 or self.high < 0.0


def wilson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """The rate behind `successes` out of `trials`, two-sided."""
    return _wilson(successes, trials, _two_sided(confidence))


def newcombe(successes_a: int, trials_a: int, successes_b: int, trials_b: int, confidence: float = 0.95) -> Interval:
    """Rate of A minus rate of B, two-sided, for trials that are independent of one another."""
    z = _two_sided(confidence)
    return _difference(_wilson(successes_a, trials_a, z), _wilson(successes_b, trials_b, z))


def newcombe_lower(successes_a: int, trials_a: int, successes_b: int, trials_b: int, confidence: float = 0.95) -> float:
    """One-sided: rate of A minus rate of B is at least this. For a question asked in one direction beforehand."""
    z = normal_quantile(_probability(confidence))
    return _difference(_wilson(successes_a, trials_a, z), _wilson(successes_b, trials_b, z)).low


def normal_quantile(probability: float) -> float:
    """The value below which a standard normal variable stays with this probability."""
    return NormalDist().inv_cdf(_probability(probability))


def _two_sided(confidence: float) -> float:
    return normal_quantile(0.5 + _probability(confidence) / 2)


def _wilson(successes: int, trials: int, z: float) -> Interval:
    _check_counts(successes, trials)
    rate, share = successes / trials, z * z / trials
    centre = (rate + share / 2) / (1 + share)
    half = math.sqrt(rate * (1 - rate) * share + share * share / 4) / (1 + share)
    # Exact at the ends, where rounding would leave 1e-17 of impossible room.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return Interval(rate, low, high)


def _difference(a: Interval, b: Interval) -> Interval:
    difference = a.estimate - b.estimate
    down = math.hypot(a.estimate - a.low, b.high - b.estimate)
    up = math.hypot(a.high - a.estimate, b.estimate - b.low)
    return Interval(difference, difference - down, difference + up)


def _probability(value: float) -> float:
    if not 0.0 < value < 1.0:
        raise GlamError(f"confidence {value!r}: a probability lies between 0 and 1, such as 0.95")
    return value


def _check_counts(successes: int, trials: int) -> None:
    if not _is_whole(successes) or not _is_whole(trials):
        raise GlamError(f"{successes!r} of {trials!r}: successes and trials must be whole numbers")
    if not 0 <= successes <= trials or trials == 0:
        raise GlamError(f"{successes} of {trials}: there must be at least one trial and no more successes than trials")


def _is_whole(count: object) -> bool:
    """A bool is an int to Python, but True is no number of trials; sums of numpy arrays are welcome."""
    return isinstance(count, int | np.integer) and not isinstance(count, bool)


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
