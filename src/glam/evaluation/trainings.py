"""Intervals that hold for other trainings and other scenes, not only for those that were tried.

Every training of a method is tried in the same scenes, and an outcome depends on both: some trainings turn out
better, and some scenes are harder for all of them. In a mixed model with both effects crossed,

    Var(rate) = Var(training) / k + Var(scene) / n + Var(rest) / (k n),   k trainings, n scenes.

The variance of the k rates, over k, estimates the first and the last part together; the covariance of the outcomes of
two trainings over scenes, over n, the second one. Student's t with Satterthwaite's degrees of freedom
(Biometrics Bulletin 2, 1946) makes an interval of their sum: for a rate on the scale of its logarithmic odds, so that
it stays between 0 and 1, for a difference as it is; neither is narrower than that of Wilson or Newcombe.

This was chosen by measurement. `benchmarks/coverage.py` counts how often 95 % intervals of 3 trainings in 200
scenes hold the truth, for rates from 50 to 97 % and trainings whose rates deviate by 0 to 8 points. In 600
simulated tables of each of 32 kinds this interval held it in 90 to 99 %, but for a rate of 97 % with a deviation of 8
points (79 and 87 %). The hierarchical bootstrap, which draws trainings and scenes anew, resembles no more than
the three trainings it has: 99 % where trainings are alike, 76 % at 90 % with 8 points, 44 % in the worst case. Wilson's
ignores trainings: 95 % where they are alike, 36 % and 17 % in the same two cases. The interval of a difference held the
truth in 96 to 100 % of 500 tables of each of 24 kinds, Newcombe's in 40 to 98 %.

Interquartile mean and probability of improvement: Agarwal et al., "Deep reinforcement learning at the edge of the
statistical precipice", NeurIPS 2021.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.evaluation.statistics import Interval, newcombe, student_quantile, wilson

Outcomes = NDArray[np.bool_]
"""(trainings, scenes): the same scenes in the same order for every training."""
Rates = Sequence[float]
"""Success rates of the trainings of one method on one task."""

DRAWS = 1000
"""Of a bootstrap."""
_MOST_FREEDOM = 1000.0
"""From here on Student's t is as good as normal."""


def rate_over_trainings(outcomes: Outcomes, confidence: float = 0.95) -> Interval:
    """The success rate of a method as other trainings would show it in other scenes."""
    _check_trainings(outcomes)
    tried = wilson(int(outcomes.sum()), outcomes.size, confidence)
    rate = tried.estimate
    if rate in (0.0, 1.0):
        return tried
    half = _half_width(_parts(outcomes), confidence) / (rate * (1 - rate))
    odds = math.log(rate) - math.log1p(-rate)
    return Interval(rate, min(tried.low, _logistic(odds - half)), max(tried.high, _logistic(odds + half)))


def difference_over_trainings(a: Outcomes, b: Outcomes, confidence: float = 0.95) -> Interval:
    """Rate of A minus rate of B in the same scenes, as other trainings would show it in others."""
    _check_trainings(a)
    _check_trainings(b)
    if a.shape[1] != b.shape[1]:
        raise GlamError(f"{a.shape[1]} and {b.shape[1]} scenes: both sides must be tried in the same ones")
    tried = newcombe(int(a.sum()), a.size, int(b.sum()), b.size, confidence)
    between = (_between_trainings(a), _between_trainings(b))
    shared = _covariance(a) + _covariance(b) - 2.0 * float(_crossed(a, b).mean())
    half = _half_width((*between, _Part(max(0.0, shared) / a.shape[1], a.shape[1] - 1)), confidence)
    low, high = tried.estimate - half, tried.estimate + half
    return Interval(tried.estimate, max(-1.0, min(tried.low, low)), min(1.0, max(tried.high, high)))


@dataclass(frozen=True)
class _Part:
    """A part of the variance of an estimate, and the degrees of freedom by which it is known."""

    variance: float
    freedom: float


def _parts(outcomes: Outcomes) -> tuple[_Part, _Part]:
    scenes = outcomes.shape[1]
    shared = max(0.0, _covariance(outcomes)) / scenes
    return _between_trainings(outcomes), _Part(shared, scenes - 1)


def _between_trainings(outcomes: Outcomes) -> _Part:
    rates = outcomes.mean(axis=1)
    return _Part(float(rates.var(ddof=1)) / len(rates), len(rates) - 1)


def _covariance(outcomes: Outcomes) -> float:
    """Covariance of the outcomes of two trainings over scenes, the mean of all pairs."""
    crossed, count = _crossed(outcomes, outcomes), len(outcomes)
    return float(crossed.sum() - np.trace(crossed)) / (count * (count - 1))


def _crossed(a: Outcomes, b: Outcomes) -> NDArray[np.float64]:
    """Covariances of each training of A and each of B over scenes."""
    own, other = (side - side.mean(axis=1, keepdims=True) for side in (a, b))
    return own @ other.T / (a.shape[1] - 1)


def _half_width(parts: Sequence[_Part], confidence: float) -> float:
    whole = sum(part.variance for part in parts)
    if not whole:
        return 0.0
    freedom = whole**2 / sum(part.variance**2 / part.freedom for part in parts)
    return _quantile(0.5 + confidence / 2, round(min(freedom, _MOST_FREEDOM), 2)) * math.sqrt(whole)


_quantile = cache(student_quantile)


def _logistic(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-odds))


def _check_trainings(outcomes: Outcomes) -> None:
    if len(outcomes) < 2:
        raise GlamError(f"{len(outcomes)} training(s): how much trainings differ is known from two on")
    if outcomes.shape[1] < 2:
        raise GlamError(f"{outcomes.shape[1]} scene(s): an interval needs at least two")


def bootstrap_rate(outcomes: Outcomes, confidence: float = 0.95, seed: int = 0) -> Interval:
    """The same by a hierarchical bootstrap: trainings and scenes drawn anew, percentiles of the mean."""
    numbers, (trainings, scenes) = np.random.default_rng(seed), outcomes.shape
    chosen = [_shares(numbers, size) for size in (trainings, scenes)]
    means = np.einsum("bk,kn,bn->b", chosen[0], outcomes.astype(float), chosen[1], optimize=True)
    return _percentiles(float(outcomes.mean()), means, confidence)


def _shares(numbers: np.random.Generator, size: int) -> NDArray[np.float64]:
    """Shares of `size` things where as many are drawn with replacement. (draws, size), sums of 1."""
    return numbers.multinomial(size, np.full(size, 1 / size), size=DRAWS) / size


def interquartile_mean(tasks: Sequence[Rates], confidence: float = 0.95, seed: int = 0) -> Interval:
    """Mean of the middle half of all trainings on all tasks; its interval draws the trainings of each task anew."""
    return _stratified([tasks], lambda drawn: _middle(drawn[0]), confidence, seed)


def probability_of_improvement(a: Sequence[Rates], b: Sequence[Rates], confidence: float = 0.95,
                               seed: int = 0) -> Interval:  # fmt: skip
    """Probability that a training of A is better than one of B, a tie counted half, averaged over tasks."""
    if len(a) != len(b):
        raise GlamError(f"{len(a)} and {len(b)} tasks: both sides must have the same")
    return _stratified([a, b], lambda drawn: _better(*drawn), confidence, seed)


Drawn = list[NDArray[np.float64]]
"""For each task (draws, trainings)."""


def _stratified(
    sides: Sequence[Sequence[Rates]], value: Callable[[list[Drawn]], NDArray[np.float64]], confidence: float, seed: int
) -> Interval:
    if not sides[0]:
        raise GlamError("no task: an average needs at least one")
    numbers, tables = np.random.default_rng(seed), [[np.array([rates]) for rates in side] for side in sides]
    drawn = [[numbers.choice(rates[0], (DRAWS, rates.size)) for rates in side] for side in tables]
    return _percentiles(float(value(tables)[0]), value(drawn), confidence)


def _middle(tasks: Drawn) -> NDArray[np.float64]:
    """The mean without the lowest and the highest quarter, each rounded down."""
    ordered = np.sort(np.concatenate(tasks, axis=1), axis=1)
    cut = ordered.shape[1] // 4
    return ordered[:, cut : ordered.shape[1] - cut].mean(axis=1)


def _better(a: Drawn, b: Drawn) -> NDArray[np.float64]:
    wins = [(np.sign(x[:, :, None] - y[:, None, :]) / 2 + 0.5).mean(axis=(1, 2)) for x, y in zip(a, b, strict=True)]
    return np.mean(wins, axis=0)


def _percentiles(estimate: float, values: NDArray[np.float64], confidence: float) -> Interval:
    low, high = np.quantile(values, [0.5 - confidence / 2, 0.5 + confidence / 2])
    return Interval(estimate, float(low), float(high))
