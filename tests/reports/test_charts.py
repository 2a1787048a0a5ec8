import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from glam.reports.charts import (
    HEIGHT,
    MOST_POINTS,
    WIDTH,
    ChartAxis,
    Estimates,
    Series,
    chart_styles,
    histogram,
    line_chart,
    path_chart,
    scatter_chart,
)

TIME = np.linspace(0.0, 5.0, 51)
SECONDS, METRES = ChartAxis("time (s)"), ChartAxis("height (m)")


def parsed(chart):
    return ET.fromstring(chart)


def points(chart, line=0):
    path = list(parsed(chart).iter("path"))[line].get("d")
    return [tuple(map(float, pair.split())) for pair in re.findall(r"[ML](-?[\d.]+ -?[\d.]+)", path)]


def texts(chart):
    return [node.text for node in parsed(chart).iter("text")]


def test_a_chart_is_named_for_those_who_cannot_see_it():
    image = parsed(line_chart("Height of the tool", [Series("arm", TIME, TIME)], SECONDS, METRES)).find("svg")
    assert image.get("role") == "img"
    assert image.get("aria-label") == "Height of the tool"
    assert image.find("title").text == "Height of the tool"


def test_axes_carry_labels_with_units_and_round_numbers():
    shown = texts(line_chart("t", [Series("arm", TIME, 0.1 * TIME)], SECONDS, METRES))
    assert {"time (s)", "height (m)"} <= set(shown)
    assert {"0", "1", "2", "3", "4", "5"} <= set(shown)
    assert {"0.1", "0.2", "0.3", "0.4", "0.5"} <= set(shown)


def test_a_line_rises_with_its_values_and_stays_in_the_image():
    drawn = points(line_chart("t", [Series("arm", TIME, TIME**2)], SECONDS, METRES))
    across, down = np.array(drawn).T
    assert (np.diff(across) > 0).all()
    assert (np.diff(down) <= 0).all()
    assert across.min() >= 0
    assert across.max() <= WIDTH
    assert down.min() >= 0
    assert down.max() <= HEIGHT


def test_a_line_may_ask_for_its_style():
    lines = [Series("a", TIME, TIME), Series("b", TIME, -TIME, style=5)]
    drawn = [node.get("class") for node in parsed(line_chart("t", lines, SECONDS, METRES)).iter("path")]
    assert drawn == ["line line-0", "line line-5"]


def test_a_gap_interrupts_the_line():
    values = np.where(np.arange(51) == 20, np.nan, TIME)
    path = next(parsed(line_chart("t", [Series("arm", TIME, values)], SECONDS, METRES)).iter("path")).get("d")
    assert path.count("M") == 2
    assert "nan" not in path


@pytest.mark.parametrize(
    "values", [np.zeros(51), np.full(51, 7.0), np.full(51, np.nan), 1e-9 * TIME, 1e12 * TIME, -TIME, np.zeros(0)]
)
def test_any_values_make_a_well_formed_chart(values):
    chart = line_chart("t", [Series("arm", TIME[: len(values)], values)], SECONDS, METRES)
    assert "nan" not in chart
    assert "inf" not in chart
    assert 2 <= len(texts(chart)) < 25


def test_names_are_shown_when_there_is_more_than_one_line():
    one, two = Series("left & right", TIME, TIME), Series("b", TIME, -TIME)
    assert parsed(line_chart("t", [one], SECONDS, METRES)).find("ul") is None
    names = [node.text for node in parsed(line_chart("t", [one, two], SECONDS, METRES)).iter("span")]
    assert names == ["left & right", "b"]


def test_lines_differ_in_colour_and_dash():
    styles = chart_styles()
    for one in range(4):
        assert styles.count(f".line-{one}{{") == 1
    assert len(set(re.findall(r"stroke:(#\w+)", styles))) == 8
    assert len(set(re.findall(r"dasharray:([^}]+)", styles))) == 4


def test_a_path_has_the_same_scale_on_both_axes():
    angle = np.linspace(0.0, 2.0 * np.pi, 200)
    drawn = np.array(
        points(path_chart("t", [Series("arm", np.cos(angle), np.sin(angle))], ChartAxis("x (m)"), ChartAxis("y (m)")))
    )
    spans = np.ptp(drawn, axis=0)
    assert spans[0] == pytest.approx(spans[1], rel=0.01)


def test_a_path_marks_its_beginning():
    chart = path_chart("t", [Series("arm", TIME, TIME**2)], ChartAxis("x (m)"), ChartAxis("y (m)"))
    dot = next(parsed(chart).iter("circle"))
    assert (float(dot.get("cx")), float(dot.get("cy"))) == points(chart)[0]


def test_a_histogram_draws_every_value_once():
    values = np.array([1.0, 1.0, 1.0, 2.0, 5.0])
    chart = histogram("t", values, ChartAxis("length (s)"), ChartAxis("episodes", is_count=True), bins=5)
    heights = [float(bar.get("height")) for bar in parsed(chart).iter("rect")]
    assert sum(heights) / max(heights) == pytest.approx(5 / 3, rel=0.02)


def test_counts_have_whole_numbers_on_their_axis():
    shown = texts(
        histogram("t", np.array([1.0, 2.0]), ChartAxis("length (s)"), ChartAxis("episodes", is_count=True), bins=2)
    )
    assert "0.5" not in shown


def test_a_long_line_is_thinned():
    long = np.linspace(0.0, 1.0, 100_000)
    assert len(points(line_chart("t", [Series("arm", long, long)], SECONDS, METRES))) <= MOST_POINTS


def test_equal_factors_are_equal_distances_on_a_logarithmic_axis():
    values = np.array([1.0, 10.0, 100.0])
    drawn = points(line_chart("t", [Series("a", np.arange(3.0), values)], SECONDS, ChartAxis("loss", is_log=True)))
    assert drawn[0][1] - drawn[1][1] == pytest.approx(drawn[1][1] - drawn[2][1], abs=0.11)
    assert drawn[0][1] > drawn[2][1]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 100.0], {"1", "2", "5", "10", "20", "50", "100"}),
        ([1e-4, 1e4], {"0.0001", "0.01", "1", "100", "10000"}),
        ([3.1, 4.9], {"3.5", "4", "4.5"}),
    ],
)
def test_a_logarithmic_axis_shows_the_values_themselves(values, expected):
    shown = texts(
        line_chart("t", [Series("a", np.arange(2.0), np.array(values))], SECONDS, ChartAxis("loss", is_log=True))
    )
    assert expected <= set(shown)


def test_what_has_no_logarithm_is_a_gap():
    values = np.array([1.0, 0.0, 10.0, -1.0, 5.0])
    chart = line_chart(
        "t", [Series("a", np.arange(5.0), values)], SECONDS, ChartAxis("loss", is_log=True, includes=(0.0,))
    )
    assert len(points(chart)) == 3
    assert "nan" not in chart
    assert "inf" not in chart


@pytest.mark.parametrize("values", [np.zeros(51), np.full(51, 1e-30), np.full(51, np.nan), 10.0 ** (20 * TIME)])
def test_any_values_make_a_well_formed_logarithmic_chart(values):
    chart = line_chart("t", [Series("arm", TIME, values)], SECONDS, ChartAxis("loss", is_log=True))
    assert "nan" not in chart
    assert 2 <= len(texts(chart)) < 25


def test_every_finite_point_of_a_scatter_chart_is_one_mark_in_the_image():
    across = np.array([0.0, 1.0, np.nan, 3.0])
    chart = scatter_chart("t", [Series("a", across, across), Series("b", across[:2], -across[:2])], SECONDS, METRES)
    clouds = list(parsed(chart).find("svg").iter("path"))
    assert [node.get("class") for node in clouds] == ["marks marks-0", "marks marks-1"]
    assert [node.get("d").count("M") for node in clouds] == [3, 2]
    places = np.array([pair.split() for pair in re.findall(r"M(-?[\d.]+ -?[\d.]+)", clouds[0].get("d"))], float)
    assert (places >= 0).all()
    assert (places <= [WIDTH, HEIGHT]).all()
    assert np.diff(places[:2], axis=0)[0, 0] == pytest.approx(-np.diff(places[:2], axis=0)[0, 1], abs=0.11)


def test_neighbouring_series_of_a_scatter_chart_have_other_marks():
    chart = scatter_chart("t", [Series(name, TIME, TIME) for name in "abcd"], SECONDS, METRES)
    shapes = {re.match(r"M[\d.]+ [\d.]+(.*?)(M|$)", node.get("d")).group(1) for node in parsed(chart).iter("path")}
    assert len(shapes) == 4


def test_whiskers_reach_from_end_to_end_of_their_intervals_and_stay_in_the_image():
    x = np.array([1.0, 2.0])
    one = Estimates("a", x, np.array([5.0, 6.0]), None, np.array([4.0, 1.0]), np.array([6.0, 9.0]))
    other = Estimates("b", x, np.array([5.0, 6.0]), None, np.array([4.0, 5.0]), np.array([6.0, 7.0]))
    chart = parsed(line_chart("t", [one, other], SECONDS, METRES))
    whiskers = [node for node in chart.iter("path") if "interval" in node.get("class")]
    ends = [tuple(map(float, re.match(r"M([\d.]+) ([\d.]+)V([\d.]+)", node.get("d")).groups())) for node in whiskers]
    assert len(ends) == 4
    lengths = [low - high for _, low, high in ends]
    assert lengths[1] == pytest.approx(4 * lengths[0], rel=0.02)
    assert all(0 < high < low < HEIGHT for _, low, high in ends)
    assert ends[0][0] != ends[2][0]  # beside one another where they would hide one another
    dots = list(chart.iter("circle"))
    assert [dot.get("class") for dot in dots] == ["dot-0", "dot-0", "dot-1", "dot-1"]
