import re
import xml.etree.ElementTree as ET

import pytest

from glam.evaluation.statistics import Interval
from glam.reports.bars import BAR_TOP, EDGE, ROW, Row, Stack, bar_chart, range_chart, stacked_chart
from glam.reports.charts import WIDTH, ChartAxis

PERCENT = ChartAxis("success (%)", includes=(0.0, 100.0))
POINTS = ChartAxis("points", includes=(0.0,))
KINDS = {"success": "stage-none", "fails to reach": "stage-reach", "fails to place": "stage-place"}


def parsed(chart):
    return ET.fromstring(chart)


def of_class(chart, name):
    return [node for node in parsed(chart).find("svg").iter() if name in (node.get("class") or "").split()]


def value_at(x, low, high):
    """What a place from left to right stands for."""
    return low + (float(x) - EDGE) / (WIDTH - 2 * EDGE) * (high - low)


def rows():
    return [
        Row("glam-o", Interval(66.5, 59.7, 72.7), "66.5 %", (60.0, 70.0, 69.5), style=0),
        Row("mip & more", Interval(43.5, 36.8, 50.4), "43.5 %", style=1),
    ]


def test_a_bar_is_as_long_as_its_value():
    bars = parsed(bar_chart("Success", rows(), PERCENT)).find("svg").findall("rect")
    assert [value_at(bar.get("x"), 0, 100) for bar in bars] == pytest.approx([0, 0], abs=0.05)
    assert [float(bar.get("width")) / (WIDTH - 2 * EDGE) * 100 for bar in bars] == pytest.approx([66.5, 43.5], abs=0.05)
    assert [bar.get("class") for bar in bars] == ["fill-0", "fill-1"]
    assert [float(bar.get("y")) for bar in bars] == [BAR_TOP, ROW + BAR_TOP]


def test_a_whisker_ends_where_the_interval_does():
    first, second = of_class(bar_chart("Success", rows(), PERCENT), "whisker")
    for whisker, expected in ((first, [59.7, 72.7]), (second, [36.8, 50.4])):
        low, high = re.match(r"M([\d.]+) \d+H([\d.]+)", whisker.get("d")).groups()
        assert [value_at(low, 0, 100), value_at(high, 0, 100)] == pytest.approx(expected, abs=0.05)


def test_each_training_is_a_dot_of_its_bar():
    chart = bar_chart("Success", rows(), PERCENT)
    dots = of_class(chart, "each")
    assert [value_at(dot.get("cx"), 0, 100) for dot in dots] == pytest.approx([60.0, 70.0, 69.5], abs=0.05)
    assert all(BAR_TOP < float(dot.get("cy")) < ROW for dot in dots)
    assert "one training" in chart
    assert "one training" not in bar_chart("Success", rows()[1:], PERCENT)


def test_rows_are_named_and_say_their_value():
    chart = bar_chart("Success", rows(), PERCENT)
    names = ["".join(node.itertext()) for node in of_class(chart, "row-name")]
    assert names == ["glam-oglam-o", "mip & moremip & more"]  # the title that a pointer shows, and the name itself
    assert [node.text for node in of_class(chart, "row-text")] == ["66.5 %", "43.5 %"]
    assert parsed(chart).find("svg").get("aria-label") == "Success"


def test_a_name_that_does_not_fit_is_shortened_and_told_in_full_to_a_pointer():
    long = Row("latent, " + "x" * 80, Interval(1.0, 0.0, 2.0), "1.0 %")
    (name,) = of_class(bar_chart("t", [long], PERCENT), "row-name")
    assert name.find("title").text == long.name
    shown = name.find("title").tail
    assert shown.endswith("…")
    assert len(shown) < 50


def test_an_axis_from_end_to_end_has_no_room_beyond():
    ticks = of_class(bar_chart("t", rows(), PERCENT), "tick")
    assert [tick.text for tick in ticks] == ["0", "20", "40", "60", "80", "100"]
    lines = of_class(bar_chart("t", rows(), PERCENT), "gridline")
    assert {float(line.get("x1")) for line in lines} == {EDGE + (WIDTH - 2 * EDGE) * share / 5 for share in range(6)}


def test_a_range_is_drawn_from_end_to_end_with_its_estimate():
    row = Row("over mip", Interval(23.0, 13.3, 32.1), "+23.0", style=3)
    chart = range_chart(
        "Difference", [row, Row("b", Interval(0.0, -10.0, 10.0), "0")], ChartAxis("points", (-40.0, 40.0))
    )
    line, dot = of_class(chart, "stroke-3")[0], of_class(chart, "dot-3")[0]
    low, high = re.match(r"M([\d.]+) [\d.]+H([\d.]+)", line.get("d")).groups()
    assert [value_at(low, -40, 40), value_at(high, -40, 40)] == pytest.approx([13.3, 32.1], abs=0.05)
    assert value_at(dot.get("cx"), -40, 40) == pytest.approx(23.0, abs=0.05)


def test_zero_is_marked_where_it_is_in_view():
    across = Row("a", Interval(1.0, -2.0, 3.0), "1")
    assert len(of_class(range_chart("t", [across, across], POINTS), "zero")) == 2
    assert of_class(range_chart("t", [Row("a", Interval(5.0, 4.0, 6.0), "5")], ChartAxis("steps")), "zero") == []


def test_parts_of_a_stack_lie_side_by_side_in_their_order():
    stack = Stack("mip", {"fails to place": 30.0, "success": 60.0, "fails to reach": 10.0}, "80 of 200 fail")
    chart = stacked_chart("Where", [stack], KINDS, PERCENT)
    parts = of_class(chart, "part")
    assert [part.get("class") for part in parts] == ["part stage-none", "part stage-reach", "part stage-place"]
    starts = [value_at(part.get("x"), 0, 100) for part in parts]
    widths = [float(part.get("width")) / (WIDTH - 2 * EDGE) * 100 for part in parts]
    assert starts == pytest.approx([0, 60, 70], abs=0.05)
    assert widths == pytest.approx([60, 10, 30], abs=0.05)
    assert [node.text for node in of_class(chart, "inside")] == ["60", "10", "30"]
    assert [node.text for node in parsed(chart).iter("span")] == ["success", "fails to reach", "fails to place"]


def test_parts_that_are_nowhere_are_left_out():
    chart = stacked_chart("Where", [Stack("mip", {"success": 99.5, "fails to reach": 0.5}, "")], KINDS, PERCENT)
    assert [node.text for node in parsed(chart).iter("span")] == ["success", "fails to reach"]
    assert len(of_class(chart, "part")) == 2
    assert [node.text for node in of_class(chart, "inside")] == ["100"]  # the small part has no room for a number


@pytest.mark.parametrize("value", [0.0, 100.0])
def test_the_ends_of_the_scale_stay_in_the_image(value):
    chart = bar_chart("t", [Row("a", Interval(value, value, value), "x", (value,))], PERCENT)
    for node in parsed(chart).find("svg").iter():
        for name in ("x", "cx", "x1", "x2"):
            assert 0 <= float(node.get(name, 0)) <= WIDTH
    assert "nan" not in chart


def test_equal_values_have_a_scale_too():
    chart = range_chart("t", [Row("a", Interval(3.0, 3.0, 3.0), "3")], ChartAxis("steps"))
    assert "nan" not in chart
    assert "inf" not in chart


def test_what_others_print_is_marked_where_it_lies():
    row = Row("glam-o", Interval(66.5, 59.7, 72.7), "66.5 %", printed=(90.0,))
    chart = bar_chart("Success", [row], PERCENT)
    (mark,) = of_class(chart, "printed")
    assert value_at(re.match(r"M([\d.]+) ", mark.get("d")).group(1), 0, 100) == pytest.approx(90.0, abs=0.05)
    assert "printed in the paper" in chart
    assert "printed in the paper" not in bar_chart("Success", rows(), PERCENT)
