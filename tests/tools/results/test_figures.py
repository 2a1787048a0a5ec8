import re

from glam.evaluation.comparison import SuccessComparison, SuccessCount
from glam.evaluation.statistics import newcombe
from results.figures import difference_chart, failure_chart, style, success_chart
from results.paper import METHODS
from results.trials import Trials

ONE = Trials("glam-o", 2, 3, 4, {0: (7, "11"), 1: (7, "10")}, {"place": 1})
OTHER = Trials("mip", 1, 0, 2, {0: (7, "00")}, {"reach": 2})


def test_every_method_of_the_paper_has_a_colour_of_its_own():
    assert len({style(method) for method in METHODS}) == len(METHODS)
    assert style("retarget") == style("glam-o-symmetric") not in {style(method) for method in METHODS}


def test_bars_show_rates_trainings_and_what_the_paper_prints():
    drawn = success_chart("Success", [ONE, OTHER], {"glam-o": 90.0})
    assert "75.0 %" in drawn
    assert len(re.findall('class="each"', drawn)) == 2 + 1  # trainings of one method, and the legend
    assert len(re.findall('class="printed"', drawn)) == 1 + 1
    assert "printed in the paper" in drawn
    assert "printed" not in success_chart("Success", [ONE])


def test_differences_name_the_rival():
    outcomes = [SuccessCount(one.name, one.successes, one.episodes) for one in (ONE, OTHER)]
    drawn = difference_chart("Better", [SuccessComparison("lift", *outcomes, newcombe(3, 4, 0, 2), 0.1)])
    assert "over mip" in drawn
    assert "+75.0 [" in drawn


def test_failures_are_shares_of_all_episodes():
    drawn = failure_chart("Ends", [ONE, OTHER])
    assert "1 of 4 fail" in drawn
    assert "fails to place: 25" in drawn
    assert "fails to reach: 100" in drawn
