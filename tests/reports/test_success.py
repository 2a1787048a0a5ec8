import re

import pytest

from glam.evaluation.comparison import SuccessComparison, SuccessCount
from glam.evaluation.statistics import Interval, newcombe, wilson
from glam.reports.bars import (
    difference_chart,
    failure_chart,
    percent,
    points,
    scaled,
    spread,
    success_chart,
    success_row,
)


def test_points_have_signs():
    assert points(Interval(0.123, -0.01, 0.2)) == "+12.3 [-1.0, +20.0]"


def test_rates_are_told_in_percent():
    assert percent(0.875) == "87.5 %"
    assert scaled(Interval(0.5, 0.25, 1.0)) == Interval(50.0, 25.0, 100.0)


@pytest.mark.parametrize(("rates", "words"), [((0.9,), "one training"), ((0.9, 0.8), "mean 85.0, deviation 7.1")])
def test_only_several_trainings_have_a_spread(rates, words):
    assert spread(rates) == words


def test_only_several_trainings_have_dots():
    assert success_row("mip", wilson(3, 4), (0.75,), 1).dots == ()
    row = success_row("mip", wilson(3, 4), (1.0, 0.5), 1, (90.0,))
    assert (row.text, row.dots, row.printed) == ("75.0 %", (100.0, 50.0), (90.0,))
    assert len(re.findall('class="each"', success_chart("Success", [row]))) == 2 + 1  # and the legend


def test_differences_have_the_colour_of_the_rival():
    outcomes = [SuccessCount("glam-o", 3, 4), SuccessCount("mip", 0, 2)]
    compared = SuccessComparison("lift", *outcomes, newcombe(3, 4, 0, 2), 0.1)
    drawn = difference_chart("Better", [compared], {"mip": 5}.__getitem__)
    assert "over mip" in drawn
    assert 'class="dot-5"' in drawn


def test_ends_are_shares_of_all_episodes_also_of_rows_with_one_name():
    drawn = failure_chart("Ends", [("mip", {"none": 3, "place": 1}), ("mip", {"reach": 2})])
    assert "1 of 4 fail" in drawn
    assert "2 of 2 fail" in drawn
    assert "fails to place: 25" in drawn


def test_a_task_may_name_milestones_of_its_own():
    drawn = failure_chart("Ends", [("mip", {"none": 1, "pour": 1}), ("latent", {"grasp": 2})])
    assert "fails to pour: 50" in drawn
    assert "stage-other" in drawn
    assert drawn.index("fails to grasp") < drawn.rindex("fails to pour")
