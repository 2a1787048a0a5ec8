import numpy as np
import pytest
from scipy import stats

from glam.core.errors import GlamError
from glam.evaluation.statistics import newcombe, wilson
from glam.evaluation.trainings import (
    bootstrap_rate,
    difference_over_trainings,
    interquartile_mean,
    probability_of_improvement,
    rate_over_trainings,
)


def made(successes, scenes=200):
    """Trainings with these successes, in scenes of their own order."""
    numbers = np.random.default_rng(1)
    return np.stack([numbers.permutation(np.arange(scenes) < count) for count in successes])


def tables(rate, deviation, count, hardness=0.0, seed=0):
    """Outcomes of 3 trainings whose true rates differ by so much on the scale of logarithmic odds; and the truth."""
    numbers = np.random.default_rng(seed)
    middle = np.log(rate / (1 - rate))
    effects = np.random.default_rng(1).standard_normal(200_000) * np.hypot(deviation, hardness)
    truth = float((1 / (1 + np.exp(-middle - effects))).mean())
    for _ in range(count):
        each = deviation * numbers.standard_normal((3, 1)) + hardness * numbers.standard_normal((1, 200))
        yield numbers.random((3, 200)) < 1 / (1 + np.exp(-middle - each)), truth


def covered(interval, rate, deviation, hardness=0.0, count=300):
    """Share of the tables whose interval holds the truth."""
    found = [(interval(table), truth) for table, truth in tables(rate, deviation, count, hardness)]
    return float(np.mean([one.low <= truth <= one.high for one, truth in found]))


def pooled(table):
    return wilson(int(table.sum()), table.size)


@pytest.mark.parametrize(("rate", "deviation"), [(0.5, 0.16), (0.8, 0.25), (0.9, 0.45)])
@pytest.mark.parametrize("hardness", [0.0, 2.0])
def test_the_interval_over_trainings_keeps_what_it_promises(rate, deviation, hardness):
    assert covered(rate_over_trainings, rate, deviation, hardness) >= 0.9


def test_intervals_of_pooled_trials_and_of_a_bootstrap_do_not_where_trainings_differ():
    assert covered(pooled, 0.9, 0.9) < 0.6
    assert covered(bootstrap_rate, 0.9, 0.9, count=60) < 0.9
    assert covered(rate_over_trainings, 0.9, 0.9) > 0.9


def test_a_difference_keeps_what_it_promises():
    pairs = zip(tables(0.8, 0.3, 300), tables(0.6, 0.2, 300, seed=1), strict=True)
    found = [(difference_over_trainings(a, b), p - q) for (a, p), (b, q) in pairs]
    assert np.mean([one.low <= truth <= one.high for one, truth in found]) >= 0.92


def test_without_common_hardness_a_rate_has_the_interval_of_its_trainings():
    """Student's t of the three rates on the scale of odds, as scipy has it."""
    outcomes = made((180, 150, 120))
    rates = outcomes.mean(axis=1)
    odds, scale = np.log(rates.mean() / (1 - rates.mean())), rates.mean() * (1 - rates.mean())
    half = stats.t.ppf(0.975, 2) * rates.std(ddof=1) / np.sqrt(3) / scale
    found = rate_over_trainings(outcomes)
    assert found.estimate == pytest.approx(0.75)
    assert (found.low, found.high) == pytest.approx(
        (1 / (1 + np.exp(half - odds)), 1 / (1 + np.exp(-half - odds))), abs=0.01
    )


def test_scenes_that_are_hard_for_all_trainings_widen_an_interval():
    alike = np.tile(np.arange(200) < 150, (3, 1))
    found = rate_over_trainings(alike)
    once = wilson(150, 200)
    assert found.high - found.low == pytest.approx(once.high - once.low, abs=0.005)  # as if each had been tried once


def test_no_interval_is_narrower_than_that_of_pooled_trials():
    all_but_none = made((200, 200, 200))
    assert rate_over_trainings(all_but_none) == wilson(600, 600)
    assert difference_over_trainings(all_but_none, all_but_none) == newcombe(600, 600, 600, 600)


def test_the_same_successes_on_both_sides_leave_no_more_than_the_pooled_difference():
    outcomes = made((150, 150, 150))
    found = difference_over_trainings(outcomes, outcomes)
    assert (found.low, found.high) == (newcombe(450, 600, 450, 600).low, newcombe(450, 600, 450, 600).high)


def test_an_interval_is_the_same_every_time():
    outcomes = made((180, 150, 120))
    assert bootstrap_rate(outcomes) == bootstrap_rate(outcomes)
    assert interquartile_mean([(0.2, 0.8), (0.4, 0.5)]) == interquartile_mean([(0.2, 0.8), (0.4, 0.5)])


def test_one_training_has_no_interval_over_trainings():
    with pytest.raises(GlamError, match=r"1 training\(s\): how much trainings differ is known from two on"):
        rate_over_trainings(made((150,)))
    with pytest.raises(GlamError, match="known from two on"):
        difference_over_trainings(made((150, 140)), made((150,)))


def test_other_scenes_are_not_compared():
    with pytest.raises(GlamError, match="200 and 100 scenes"):
        difference_over_trainings(made((150, 140)), made((50, 60), 100))


def test_the_interquartile_mean_is_that_of_the_middle_half():
    rates = [(0.1, 0.9, 0.5), (0.4, 0.6, 0.8)]
    found = interquartile_mean(rates)
    assert found.estimate == pytest.approx(stats.trim_mean(np.ravel(rates), 0.25))
    assert found.low < found.estimate < found.high


def test_the_probability_of_improvement_counts_pairs_of_trainings():
    found = probability_of_improvement([(0.9, 0.5)], [(0.5, 0.1)])
    assert found.estimate == pytest.approx((1 + 1 + 0.5 + 1) / 4)  # 0.5 against 0.5 is a tie
    assert probability_of_improvement([(0.9,)], [(0.1,)]).estimate == 1.0
    with pytest.raises(GlamError, match="2 and 1 tasks"):
        probability_of_improvement([(0.9,), (0.8,)], [(0.1,)])
