"""How often an interval of a success rate, or of a difference of two, holds the truth: 3 trainings, 200 scenes.

    python benchmarks/coverage.py [--tables 400] [--json docs/results/coverage.json]

Outcomes are drawn from rates whose logarithmic odds are the sum of a mean, an effect of the training and an effect of
the scene, both normal. The spread of trainings is given in points of the rate, that of scenes in odds.
The truth is the rate over all trainings and scenes. A difference is that of two methods in the same
scenes. By this table the page of results chooses which interval decides.
"""

import argparse
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core.files import write_json
from glam.evaluation.statistics import Interval, newcombe, wilson
from glam.evaluation.trainings import Outcomes, bootstrap_rate, difference_over_trainings, rate_over_trainings

TRAININGS, SCENES = 3, 200
RATES, PAIRS = (0.5, 0.8, 0.9, 0.97), ((0.8, 0.5), (0.9, 0.8), (0.97, 0.9))
SPREADS = (0.0, 0.02, 0.04, 0.08)
"""Of trainings: standard deviation of the rate, to first order."""
HARDNESS = (0.0, 2.0)
"""Standard deviation of the logarithmic odds of scenes."""
_MANY = 200_000


def main() -> None:
    options = parse()
    record = {
        "trainings": TRAININGS,
        "scenes": SCENES,
        "tables": options.tables,
        "rates": list(of_rates(options.tables)),
        "differences": list(of_differences(options.tables)),
    }
    write_json(options.json, record)
    print(options.json)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=400, help="of each row")
    parser.add_argument("--json", type=Path, default=Path("docs/results/coverage.json"))
    return parser.parse_args()


def of_rates(tables: int) -> Iterator[dict[str, Any]]:
    """Coverage and mean width of each interval of a rate."""
    intervals = {"Wilson": pooled, "hierarchical bootstrap": bootstrap_rate, "mixed model": rate_over_trainings}
    for rate, spread, hardness in product(RATES, SPREADS, HARDNESS):
        numbers, one = np.random.default_rng(0), Method(rate, spread, hardness)
        drawn = [one.outcomes(numbers, one.scenes(numbers)) for _ in range(tables)]
        facts = {"rate": rate, "spread": spread, "hardness": hardness}
        yield facts | {name: scored([(of(table), rate) for table in drawn]) for name, of in intervals.items()}


def of_differences(tables: int) -> Iterator[dict[str, Any]]:
    """The same of the difference of two methods."""
    intervals = {"Newcombe": pooled_difference, "mixed model": difference_over_trainings}
    for (a, b), spread, hardness in product(PAIRS, SPREADS, HARDNESS):
        numbers, sides = np.random.default_rng(0), (Method(a, spread, hardness), Method(b, spread, hardness))
        drawn = []
        for _ in range(tables):
            common = sides[0].scenes(numbers)
            drawn.append([side.outcomes(numbers, common) for side in sides])
        facts = {"rates": [a, b], "spread": spread, "hardness": hardness}
        yield facts | {name: scored([(of(*both), a - b) for both in drawn]) for name, of in intervals.items()}


class Method:
    """A method whose trainings and scenes differ."""

    def __init__(self, rate: float, spread: float, hardness: float) -> None:
        self._between, self._hardness = spread / (rate * (1 - rate)), hardness
        self._middle = centre(rate, float(np.hypot(self._between, hardness)))

    def scenes(self, numbers: np.random.Generator) -> NDArray[np.float64]:
        """Effects of some scenes."""
        return self._hardness * numbers.standard_normal((1, SCENES))

    def outcomes(self, numbers: np.random.Generator, scenes: NDArray[np.float64]) -> Outcomes:
        """Outcomes of some trainings in these scenes."""
        odds = self._middle + self._between * numbers.standard_normal((TRAININGS, 1)) + scenes
        return numbers.random(odds.shape) < logistic(odds)


def centre(rate: float, deviation: float) -> float:
    """The mean of odds with this deviation that gives this rate, by bisection."""
    effects = deviation * np.random.default_rng(1).standard_normal(_MANY)
    low, high = -20.0, 20.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if logistic(middle + effects).mean() < rate else (low, middle)
    return (low + high) / 2


def logistic(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1.0 / (1.0 + np.exp(-odds))


def pooled(outcomes: Outcomes) -> Interval:
    return wilson(int(outcomes.sum()), outcomes.size)


def pooled_difference(a: Outcomes, b: Outcomes) -> Interval:
    return newcombe(int(a.sum()), a.size, int(b.sum()), b.size)


def scored(found: list[tuple[Interval, float]]) -> dict[str, float]:
    """Share of the intervals that hold the truth, and their mean width."""
    held = np.mean([one.low <= truth <= one.high for one, truth in found])
    return {"coverage": round(float(held), 3), "width": round(float(np.mean([i.high - i.low for i, _ in found])), 3)}


if __name__ == "__main__":
    main()
