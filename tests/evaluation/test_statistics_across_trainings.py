import math

import pytest
from scipy import stats

from glam.core.errors import GlamError
from glam.evaluation.statistics import across_seeds, student_quantile, welch


def test_the_deviation_is_that_of_a_sample() -> None:
    spread = across_seeds([0.8, 0.9, 0.85])
    assert spread.mean == pytest.approx(0.85)
    assert spread.deviation == pytest.approx(0.05)
    assert spread.count == 3


def test_equal_trainings_have_no_spread() -> None:
    assert across_seeds([0.5, 0.5]).deviation == 0.0


@pytest.mark.parametrize("values", [[], [0.7]])
def test_fewer_than_two_trainings_are_refused(values: list[float]) -> None:
    with pytest.raises(GlamError, match="at least two"):
        across_seeds(values)


def test_a_result_that_is_no_number_is_refused() -> None:
    with pytest.raises(GlamError, match="finite"):
        across_seeds([0.5, math.nan])


@pytest.mark.parametrize("freedom", [1.0, 2.0, 3.3, 17.0])
@pytest.mark.parametrize("probability", [0.5, 0.9, 0.975, 0.995])
def test_quantiles_are_those_of_students_distribution(probability: float, freedom: float) -> None:
    assert student_quantile(probability, freedom) == pytest.approx(stats.t.ppf(probability, freedom), rel=1e-4)


def test_the_interval_over_trainings_is_welchs() -> None:
    a, b = [0.985, 0.95, 0.955], [0.865, 0.9, 0.94]
    wanted = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    found = welch(a, b)
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=1e-5)
    assert found.low < 0 < found.high, (
        "not significant over three trainings of each, though it is over 600 trials of each"
    )


def test_trainings_that_do_not_differ_leave_no_doubt() -> None:
    found = welch([0.9, 0.9], [0.5, 0.5])
    assert (found.low, found.high) == (found.estimate, found.estimate)
