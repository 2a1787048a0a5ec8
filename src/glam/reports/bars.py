"""Charts of named rows as inline SVG: bars with intervals, stacked bars, and estimates with a range.

A row has its name above it and its value at the right end, so that long names fit a phone. Success rates, their
differences and failed stages look the same on all pages, in words and as such charts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from glam.evaluation.comparison import SuccessComparison
from glam.evaluation.evaluations import STAGES
from glam.evaluation.statistics import Interval, across_seeds
from glam.reports.charts import WIDTH, ChartAxis, limits, number, tick_text, ticks
from glam.reports.markup import Html, element, joined

EDGE = 10  # room for marks beyond either end
ROW, FOOT = 42, 34  # heights of a row and of the axis below
BAR_TOP, BAR = 18, 14  # of a bar below the top of its row
_LETTER = 6.2  # usual width of a letter, in units of the drawing
_TICK_LETTER = 7.2  # the same at most, of a number below the axis
_INSIDE = 7.0  # the same of a digit inside a bar, with room around it


@dataclass(frozen=True)
class Row:
    """A named estimate and the range around it."""

    name: str
    value: Interval
    text: str
    """The value in words."""
    dots: tuple[float, ...] = ()
    """Values behind the estimate, such as one per training."""
    style: int = 0
    printed: tuple[float, ...] = ()
    """What others print of the same, to be compared with."""


@dataclass(frozen=True)
class Stack:
    """A named whole and the size of each of its parts."""

    name: str
    parts: Mapping[str, float]
    text: str


@dataclass(frozen=True)
class _Scale:
    """Horizontal positions of values."""

    low: float
    high: float
    axis: ChartAxis

    def across(self, value: float) -> float:
        return EDGE + (value - self.low) / (self.high - self.low) * (WIDTH - 2 * EDGE)


def bar_chart(title: str, rows: Sequence[Row], axis: ChartAxis) -> Html:
    """Bars from zero, the interval of each as a whisker, and its dots."""
    scale = _scale_of(rows, axis)
    drawn = []
    for row, top in zip(rows, _tops(), strict=False):
        drawn += [_heading(row.name, row.text, top), _bar((0.0, row.value.estimate), scale, top, f"fill-{row.style}")]
        drawn += [_whisker(row, scale, top), *_dots(row.dots, scale, top), *_printed(row.printed, scale, top)]
    legend = {"one training": _DOT} if any(row.dots for row in rows) else {}
    legend |= {"printed in the paper": _DIAMOND} if any(row.printed for row in rows) else {}
    return _figure(title, drawn, scale, len(rows), *([_legend_of_marks(legend)] if legend else []))


def range_chart(title: str, rows: Sequence[Row], axis: ChartAxis) -> Html:
    """Estimates as dots on the line of their range, with what others print; zero is marked where it is in view."""
    scale = _scale_of(rows, axis)
    drawn = _uprights(0.0, scale, len(rows), "zero") if scale.low < 0.0 < scale.high else []
    for row, top in zip(rows, _tops(), strict=False):
        middle = top + BAR_TOP + BAR / 2
        low, high, at = (scale.across(value) for value in (row.value.low, row.value.high, row.value.estimate))
        drawn += [
            _heading(row.name, row.text, top),
            element("path", d=f"M{number(low)} {number(middle)}H{number(high)}", class_=f"range stroke-{row.style}"),
            element("circle", cx=number(at), cy=number(middle), r=5, class_=f"dot-{row.style}"),
            *_printed(row.printed, scale, top),
        ]
    legend = {"printed in the paper": _DIAMOND} if any(row.printed for row in rows) else {}
    return _figure(title, drawn, scale, len(rows), *([_legend_of_marks(legend)] if legend else []))


def stacked_chart(title: str, stacks: Sequence[Stack], kinds: Mapping[str, str], axis: ChartAxis) -> Html:
    """Parts of a whole side by side; `kinds` names the parts in order, each with the class that colours it."""
    totals = [sum(stack.parts.values()) for stack in stacks]
    scale = _scale([0.0, *totals], axis)
    drawn = []
    for stack, top in zip(stacks, _tops(), strict=False):
        drawn += [_heading(stack.name, stack.text, top), *_parts(stack, kinds, scale, top)]
    used = [kind for kind in kinds if any(stack.parts.get(kind) for stack in stacks)]
    return _figure(title, drawn, scale, len(stacks), _legend({kind: kinds[kind] for kind in used}))


def _scale_of(rows: Sequence[Row], axis: ChartAxis) -> _Scale:
    return _scale([value for row in rows for value in (row.value.low, row.value.high, *row.dots, *row.printed)], axis)


def _scale(values: Sequence[float], axis: ChartAxis) -> _Scale:
    """An axis that includes both its ends has no room beyond them."""
    if len(axis.includes) > 1:
        return _Scale(min(*axis.includes, *values), max(*axis.includes, *values), axis)
    return _Scale(*limits([np.array(values)], axis), axis)


def _tops() -> Iterator[int]:
    top = 0
    while True:
        yield top
        top += ROW


def _heading(name: str, text: str, top: int) -> Html:
    room = max(8, int((WIDTH - _LETTER * len(text)) / _LETTER) - 3)
    shown = name if len(name) <= room else f"{name[: room - 1]}…"
    return joined([
        element("text", element("title", name), shown, x=0, y=top + 12, class_="row-name"),
        element("text", text, x=WIDTH, y=top + 12, class_="row-text"),
    ])  # fmt: skip


def _bar(span: tuple[float, float], scale: _Scale, top: int, kind: str, *inside: Html) -> Html:
    left, right = (scale.across(value) for value in span)
    return element("rect", *inside, x=number(left), y=top + BAR_TOP, width=number(max(right - left, 0.0)), height=BAR,
                   class_=kind)  # fmt: skip


def _whisker(row: Row, scale: _Scale, top: int) -> Html:
    """In the middle of its bar, or above the dots."""
    low, high, middle = (
        scale.across(row.value.low),
        scale.across(row.value.high),
        top + BAR_TOP + (4 if row.dots else 7),
    )
    ends = "".join(f"M{number(at)} {middle - 3}v6" for at in (low, high))
    return element("path", d=f"M{number(low)} {middle}H{number(high)}{ends}", class_="whisker")


def _dots(values: Sequence[float], scale: _Scale, top: int) -> Iterator[Html]:
    for value in values:
        yield element("circle", cx=number(scale.across(value)), cy=top + BAR_TOP + BAR - 2, r=3.5, class_="each")


def _printed(values: Sequence[float], scale: _Scale, top: int) -> Iterator[Html]:
    for value in values:
        path = f"M{number(scale.across(value))} {top + BAR_TOP - 1}l5 8l-5 8l-5-8z"
        yield element("path", d=path, class_="printed")


_DOT = element("circle", cx=6, cy=5, r=3.5, class_="each")
_DIAMOND = element("path", d="M6 0l4 5l-4 5l-4-5z", class_="printed")


def _legend_of_marks(marks: Mapping[str, Html]) -> Html:
    samples = [
        element("li", element("svg", mark, viewBox="0 0 12 10", width=12, height=10, aria_hidden="true",
                              class_="swatch"), element("span", name))
        for name, mark in marks.items()
    ]  # fmt: skip
    return element("ul", *samples, class_="legend")


def _parts(stack: Stack, kinds: Mapping[str, str], scale: _Scale, top: int) -> Iterator[Html]:
    start = 0.0
    for kind, colour in kinds.items():
        size = stack.parts.get(kind, 0.0)
        if not size:
            continue
        yield _bar((start, start + size), scale, top, f"part {colour}", element("title", f"{kind}: {tick_text(size)}"))
        digits = f"{size:.0f}"
        if scale.across(size) - scale.across(0.0) > _INSIDE * len(digits):
            middle = number(scale.across(start + size / 2))
            yield element("text", digits, x=middle, y=top + BAR_TOP + BAR - 3.5, class_=f"inside {colour}-text")
        start += size


def _legend(kinds: Mapping[str, str]) -> Html:
    samples = [
        element("li", element("svg", element("rect", width=12, height=10, rx=2, class_=colour), viewBox="0 0 12 10",
                              width=12, height=10, aria_hidden="true", class_="swatch"), element("span", kind))
        for kind, colour in kinds.items()
    ]  # fmt: skip
    return element("ul", *samples, class_="legend")


def _figure(title: str, drawn: Sequence[Html], scale: _Scale, rows: int, *legend: Html) -> Html:
    height = ROW * rows
    marks = []
    for value in ticks((scale.low, scale.high), scale.axis):
        shown = tick_text(value)
        half = _TICK_LETTER * len(shown) / 2
        at = min(max(scale.across(value), half), WIDTH - half)  # a number at the end of the axis stays whole
        marks += _uprights(value, scale, rows, "gridline")
        marks.append(element("text", shown, x=number(at), y=height + 10, class_="tick tick-x"))
    label = element("text", scale.axis.label, x=WIDTH / 2, y=height + 27, class_="axis-label")
    image = element(
        "svg", element("title", title), *marks, *drawn, label,
        viewBox=f"0 0 {WIDTH} {height + FOOT}", role="img", aria_label=title,
    )  # fmt: skip
    return element("figure", element("figcaption", title), image, *legend, class_="chart rows")


def _uprights(value: float, scale: _Scale, rows: int, kind: str) -> list[Html]:
    """A line at `value` behind the bar of each row; names stay free of it."""
    left = number(scale.across(value))
    tops = [ROW * place + BAR_TOP - 3 for place in range(rows)]
    return [element("line", x1=left, x2=left, y1=top, y2=top + BAR + 6, class_=kind) for top in tops]


PERCENT = ChartAxis("success (%)", includes=(0.0, 100.0))
"""The axis of every rate."""


def scaled(interval: Interval) -> Interval:
    """An interval in percent."""
    return Interval(100 * interval.estimate, 100 * interval.low, 100 * interval.high)


def percent(rate: float) -> str:
    """A rate in words."""
    return f"{100 * rate:.1f} %"


def points(interval: Interval) -> str:
    """A difference in percentage points."""
    estimate, low, high = (f"{100 * value:+.1f}" for value in (interval.estimate, interval.low, interval.high))
    return f"{estimate} [{low}, {high}]"


def spread(rates: Sequence[float]) -> str:
    """Spread of the rates of several trainings."""
    if len(rates) < 2:
        return "one training"
    found = across_seeds(rates)
    return f"mean {100 * found.mean:.1f}, deviation {100 * found.deviation:.1f}"


def success_row(name: str, rate: Interval, rates: Sequence[float], style: int, printed: tuple[float, ...] = ()) -> Row:
    """A row of `success_chart`; `rates` are those of single trainings, `printed` what the paper prints."""
    dots = tuple(100 * each for each in rates) if len(rates) > 1 else ()
    return Row(name, scaled(rate), percent(rate.estimate), dots, style, printed)


def success_chart(title: str, rows: Sequence[Row]) -> Html:
    """Bars with Wilson intervals."""
    return bar_chart(title, rows, PERCENT)


def difference_chart(title: str, comparisons: Sequence[SuccessComparison], style: Callable[[str], int]) -> Html:
    """Newcombe intervals; `style` is the number of a method's colour."""
    rows = [
        Row(f"over {one.b.name}", scaled(one.difference), points(one.difference), style=style(one.b.name))
        for one in comparisons
    ]
    return range_chart(title, rows, ChartAxis("percentage points", includes=(0.0,)))


def failure_chart(title: str, ends: Sequence[tuple[str, Mapping[str, int]]]) -> Html:
    """Ends of episodes: for each method how many fail at which stage, successes at `none`."""
    stages = list(dict.fromkeys(["none", *STAGES, *(stage for _, counts in ends for stage in counts)]))
    stacks = []
    for name, counts in ends:
        episodes = sum(counts.values())
        shares = {_end(stage): 100 * counts.get(stage, 0) / episodes for stage in stages}
        stacks.append(Stack(name, shares, f"{episodes - counts.get('none', 0)} of {episodes} fail"))
    colours = {_end(stage): f"stage-{stage if stage in ('none', *STAGES) else 'other'}" for stage in stages}
    return stacked_chart(title, stacks, colours, ChartAxis("episodes (%)", includes=(0.0, 100.0)))


def _end(stage: str) -> str:
    """The end of an episode in words."""
    return "success" if stage == "none" else f"fails to {stage}"
