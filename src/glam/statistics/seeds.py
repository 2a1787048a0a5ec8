"""How much a result varies from one training to the next: what more test trials cannot show."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from glam.core.errors import GlamError


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
