import xml.etree.ElementTree as ET

import numpy as np
import pytest

from glam.evaluation.statistics import Interval
from glam.reports.bars import Row, bar_chart
from glam.reports.charts import ChartAxis, Estimates, line_chart
from results.images import CHART, GAP, svg_image

AXIS = ChartAxis("success (%)", (0.0, 100.0))
NUMBERS = np.array([1.0, 2.0])
BARS = bar_chart("Bars <of> all", [Row("mip", Interval(50, 40, 60), "50 %", printed=(70.0,))], AXIS)
LINES = line_chart(
    "Lines", [Estimates(name, NUMBERS, NUMBERS, style, NUMBERS, NUMBERS) for style, name in enumerate(("a", "b"))],
    AXIS, AXIS,
)  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def drawn():
    return ET.fromstring(svg_image("both", "Bars and lines", [BARS, LINES, BARS]).content)


def test_an_image_stands_for_itself(drawn):
    assert drawn.get("viewBox") == f"0 0 {GAP + 2 * (CHART + GAP)} {drawn.get('height')}"
    assert drawn.findtext(f"{SVG}title") == "Bars and lines"
    style = drawn.findtext(f"{SVG}style")
    assert "prefers-color-scheme: dark" in style
    assert ".line-0{" in style
    assert ".whisker" in style
    assert "body" not in style


def test_charts_stand_in_columns_under_their_captions(drawn):
    charts = [one for one in drawn.iter(f"{SVG}svg") if one.get("width") == str(CHART)]
    places = [(float(one.get("x")), float(one.get("y"))) for one in charts]
    assert [left for left, _ in places] == [GAP, 2 * GAP + CHART, GAP]
    assert places[0][1] == places[1][1] < places[2][1]
    captions = [one.text for one in drawn.iter(f"{SVG}text") if one.get("class") == "caption"]
    assert captions == ["Bars <of> all", "Lines", "Bars <of> all"]


def test_legends_are_below_their_charts(drawn):
    entries = [one.text for one in drawn.iter(f"{SVG}text") if one.get("class") == "entry"]
    assert entries == ["printed in the paper", "a", "b", "printed in the paper"]


def test_an_image_is_the_same_every_time():
    assert svg_image("a", "A", [BARS]) == svg_image("a", "A", [BARS])
    assert svg_image("a", "A", [BARS]).link == "images/results/a.svg"
