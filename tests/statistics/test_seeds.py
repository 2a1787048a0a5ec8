import math

import pytest

from glam.core.errors import GlamError
from glam.statistics.seeds import across_seeds


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
