import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from glam.core.errors import GlamError
from glam.evaluation.statistics import Interval, newcombe, newcombe_lower, normal_quantile, wilson

# Newcombe (1998), Table II, method 10: successes and trials of A and B, and the 95 % limits of A minus B.
NEWCOMBE_TABLE = [
    (56, 70, 48, 80, 0.0524, 0.3339),
    (9, 10, 3, 10, 0.1705, 0.8090),
    (6, 7, 2, 7, 0.0582, 0.8062),
    (5, 56, 0, 29, -0.0381, 0.1926),
    (0, 10, 0, 20, -0.1611, 0.2775),
    (0, 10, 0, 10, -0.2775, 0.2775),
    (10, 10, 0, 20, 0.6791, 1.0000),
    (10, 10, 0, 10, 0.6075, 1.0000),
]


@pytest.mark.parametrize("probability", [1e-12, 1e-6, 0.001, 0.02425, 0.3, 0.5, 0.77, 0.95, 0.975, 0.9999, 1 - 1e-12])
def test_the_normal_quantile_matches_scipy(probability: float) -> None:
    assert normal_quantile(probability) == pytest.approx(stats.norm.ppf(probability), abs=1e-9)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_wilson_matches_scipy(confidence: float) -> None:
    for trials in (1, 7, 20, 200, 3000):
        for successes in sorted({0, 1, trials // 3, trials // 2, trials - 1, trials}):
            ours = wilson(successes, trials, confidence)
            theirs = stats.binomtest(successes, trials).proportion_ci(confidence, method="wilson")
            assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
            assert ours.estimate == successes / trials


def test_wilson_of_18_in_20() -> None:
    interval = wilson(18, 20)
    assert (interval.low, interval.high) == pytest.approx((0.69897, 0.97213), abs=1e-5)


def test_nothing_and_everything_have_an_end_at_exactly_0_and_1() -> None:
    assert wilson(0, 50).low == 0.0
    assert wilson(0, 50).high > 0.05
    assert wilson(50, 50).high == 1.0
    assert wilson(50, 50).low < 0.95


@pytest.mark.parametrize(("a", "n", "b", "m", "low", "high"), NEWCOMBE_TABLE)
def test_newcombe_matches_the_published_examples(a: int, n: int, b: int, m: int, low: float, high: float) -> None:
    interval = newcombe(a, n, b, m)
    assert interval.estimate == pytest.approx(a / n - b / m)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5.1e-5)


def test_a_difference_read_the_other_way_round_changes_its_sign() -> None:
    there, back = newcombe(56, 70, 48, 80), newcombe(48, 80, 56, 70)
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low), abs=1e-15)


def test_the_one_sided_bound_is_the_lower_end_of_the_interval_that_leaves_out_twice_as_much() -> None:
    assert newcombe_lower(56, 70, 48, 80, 0.95) == pytest.approx(newcombe(56, 70, 48, 80, 0.90).low, abs=1e-15)
    assert newcombe_lower(56, 70, 48, 80) > newcombe(56, 70, 48, 80).low


def test_a_difference_is_significant_when_zero_lies_outside() -> None:
    assert newcombe(56, 70, 48, 80).excludes_zero
    assert newcombe(48, 80, 56, 70).excludes_zero
    assert not newcombe(5, 56, 0, 29).excludes_zero
    assert not Interval(0.0, 0.0, 0.1).excludes_zero


def test_counts_may_come_from_numpy() -> None:
    assert wilson(np.array([True, False]).sum(), 2) == wilson(1, 2)


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.5, 0.93])
def test_wilson_covers_the_true_rate_about_as_often_as_promised(rate: float) -> None:
    """Exactly, over all outcomes of 200 trials, rather than by a simulation that itself scatters."""
    chances = stats.binom.pmf(np.arange(201), 200, rate)
    covered = [wilson(k, 200).low <= rate <= wilson(k, 200).high for k in range(201)]
    assert chances[covered].sum() == pytest.approx(0.95, abs=0.025)


@pytest.mark.parametrize(("a", "b"), [(0.4, 0.7), (0.9, 0.95), (0.5, 0.5), (0.02, 0.05)])
def test_newcombe_covers_the_true_difference_in_simulated_trials(a: float, b: float) -> None:
    rng = np.random.default_rng(0)
    wins = rng.binomial(200, [[a, b]] * 2000)
    covered = [(i := newcombe(int(x), 200, int(y), 200)).low <= a - b <= i.high for x, y in wins]
    assert np.mean(covered) > 0.93


def test_the_one_sided_bound_is_rarely_above_the_truth() -> None:
    wins = np.random.default_rng(1).binomial(200, [[0.6, 0.5]] * 2000)
    above = [newcombe_lower(int(x), 200, int(y), 200) > 0.1 for x, y in wins]
    assert np.mean(above) == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize(
    "call",
    [
        lambda: wilson(1, 0),
        lambda: wilson(-1, 5),
        lambda: wilson(6, 5),
        lambda: wilson(successes=True, trials=5),
        lambda: wilson(2.0, 5),
        lambda: wilson(2, math.nan),
        lambda: newcombe(1, 2, 3, 2),
        lambda: newcombe_lower(1, 2, 0, 0),
        lambda: wilson(1, 2, 0.0),
        lambda: wilson(1, 2, 95),
        lambda: newcombe(1, 2, 1, 2, math.nan),
        lambda: normal_quantile(1.0),
    ],
)
def test_impossible_counts_and_confidences_are_refused_in_one_sentence(call: Callable[[], object]) -> None:
    with pytest.raises(GlamError, match=r"whole numbers|at least one trial|between 0 and 1"):
        call()
