"""Charts as inline SVG: axes with units, a legend, and a title that screen readers announce."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from glam.reports.markup import Html, element, joined

Array = NDArray[np.float64]

WIDTH, HEIGHT = 320, 210  # drawn about as large as it is shown, so that text keeps its size on a phone
LEFT, RIGHT, TOP, BOTTOM = 56, 8, 8, 40
PALETTE = ("#d9480f", "#1c7ed6", "#37a04b", "#ae3ec9", "#b87a00", "#0c9aa8", "#d6336c", "#868e96")
"""Colours of the lines in order, all at least 3:1 against white and against near-black."""
DASHES = ("none", "7 3", "2 3", "9 3 2 3")  # so that lines differ without colour too
MARKS = ("h0", "m-2-2l4 4m0-4l-4 4", "m-2.5 0h5m-2.5-2.5v5", "m-2-1.5h4l-2 3.5z")  # dot, two crosses, triangle
MOST_POINTS = 600  # more than the pixels of a chart cannot be seen and only make the page heavy


@dataclass(frozen=True)
class Series:
    """One line. A gap in the line is a point that is not finite."""

    name: str
    x: Array
    y: Array
    style: int | None = None
    """Number of its colour and dash; its place in the chart when None."""

    def style_at(self, place: int) -> int:
        """Number of the style when it is the line at `place`."""
        return (place if self.style is None else self.style) % len(PALETTE)


@dataclass(frozen=True)
class Estimates(Series):
    """A line through estimates, each with a whisker from `low` to `high`."""

    low: Array = field(default_factory=lambda: np.zeros(0))
    high: Array = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True)
class ChartAxis:
    """Label of an axis with its unit, such as `height (m)`, and its kind."""

    label: str
    includes: tuple[float, ...] = ()
    """Values that are always in view, such as 0 and 1 of a fraction."""
    is_count: bool = False
    """True if only whole numbers make sense."""
    is_log: bool = False
    """True for a logarithmic vertical axis of a line chart; values of zero and below are gaps."""


@dataclass(frozen=True)
class _Frame:
    """Positions of values on the drawing."""

    x: tuple[float, float]
    y: tuple[float, float]

    def across(self, values: Array) -> Array:
        return LEFT + (values - self.x[0]) / (self.x[1] - self.x[0]) * (WIDTH - LEFT - RIGHT)

    def down(self, values: Array) -> Array:
        return HEIGHT - BOTTOM - (values - self.y[0]) / (self.y[1] - self.y[0]) * (HEIGHT - TOP - BOTTOM)


def line_chart(title: str, series: Sequence[Series], x: ChartAxis, y: ChartAxis) -> Html:
    """Lines over a common pair of axes."""
    drawn = [replace(one, y=_logarithm(one.y)) for one in series] if y.is_log else series
    includes = tuple(_logarithm(np.array(y.includes))) if y.is_log else y.includes
    heights = [one.y for one in drawn] + [end for one in _estimates(drawn) for end in (one.low, one.high)]
    frame = _Frame(limits([one.x for one in drawn], x), limits(heights, replace(y, includes=includes)))
    drawing = joined([*_whiskers(drawn, frame), _lines(drawn, frame)])
    return _figure(title, frame, (x, y), drawing, _legend(series, "line"))


def scatter_chart(title: str, series: Sequence[Series], x: ChartAxis, y: ChartAxis) -> Html:
    """Points in a plane with the same scale on both axes, each series with a mark of its own."""
    frame = _equal_scale(_Frame(limits([one.x for one in series], x), limits([one.y for one in series], y)))
    clouds = [
        element("path", d="".join(_mark(place, style) for place in _points(one, frame)), class_=f"marks marks-{style}")
        for one, style in ((one, one.style_at(index)) for index, one in enumerate(series))
    ]
    return _figure(title, frame, (x, y), joined(clouds), _legend(series, "marks"))


def path_chart(title: str, series: Sequence[Series], x: ChartAxis, y: ChartAxis) -> Html:
    """Paths in a plane with the same scale on both axes; a dot marks where each begins."""
    spans = [limits([one.x for one in series], x), limits([one.y for one in series], y)]
    frame = _equal_scale(_Frame(spans[0], spans[1]))
    starts = [
        element("circle", cx=number(left), cy=number(top), r=4, class_=f"dot-{one.style_at(index)}")
        for index, one in enumerate(series)
        for left, top in _points(one, frame)[:1]
    ]
    return _figure(title, frame, (x, y), joined([_lines(series, frame), *starts]), _legend(series, "line"))


def histogram(title: str, values: Array, x: ChartAxis, y: ChartAxis, bins: int = 20) -> Html:
    """Distribution of values."""
    values = values[np.isfinite(values)]
    low, high = limits([values], x)
    counts, edges = np.histogram(values, bins=bins, range=(low, high))
    frame = _Frame((low, high), (0.0, max(1.0, float(counts.max(initial=0)) * 1.05)))
    lefts, tops, base = frame.across(edges), frame.down(counts.astype(float)), HEIGHT - BOTTOM
    bars = [
        element("rect", x=number(left + 0.5), y=number(top), width=number(right - left - 1.0),
                height=number(base - top), class_="bar")
        for left, right, top, count in zip(lefts, lefts[1:], tops, counts, strict=False)
        if count
    ]  # fmt: skip
    return _figure(title, frame, (x, y), joined(bars), Html(""))


def chart_styles() -> str:
    """CSS rules of the classes that the lines, dots and marks of charts carry."""
    rules = [
        f".line-{index}{{stroke:{colour};stroke-dasharray:{DASHES[index % len(DASHES)]}}}"
        f".dot-{index},.fill-{index}{{fill:{colour}}}.marks-{index}{{stroke:{colour};stroke-width:{_mark_width(index)}}}"
        f".stroke-{index}{{stroke:{colour}}}.tone-{index}{{--tone:{colour}}}"
        for index, colour in enumerate(PALETTE)
    ]
    return "".join(rules)


def _figure(title: str, frame: _Frame, axes: tuple[ChartAxis, ChartAxis], drawing: Html, legend: Html) -> Html:
    drawn = element(
        "svg",
        element("title", title),
        _grid(frame, axes),
        drawing,
        _axis_label(axes[0].label, x=(LEFT + WIDTH - RIGHT) / 2, y=HEIGHT - 4),
        _axis_label(axes[1].label, x=11, y=(TOP + HEIGHT - BOTTOM) / 2, turned=True),
        viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=title,
    )  # fmt: skip
    return element("figure", element("figcaption", title), drawn, legend, class_="chart")


def _axis_label(label: str, *, x: float, y: float, turned: bool = False) -> Html:
    turn = f"rotate(-90 {number(x)} {number(y)})" if turned else ""
    return element("text", label, x=number(x), y=number(y), transform=turn, class_="axis-label")


def _grid(frame: _Frame, axes: tuple[ChartAxis, ChartAxis]) -> Html:
    base, parts = HEIGHT - BOTTOM, []
    for value in ticks(frame.x, axes[0]):
        left = number(float(frame.across(np.array(value))))
        parts.append(element("line", x1=left, x2=left, y1=TOP, y2=base, class_="gridline"))
        parts.append(element("text", tick_text(value), x=left, y=base + 14, class_="tick tick-x"))
    for value in ticks(frame.y, axes[1]):
        top = float(frame.down(np.array(value)))
        parts.append(element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=number(top), y2=number(top), class_="gridline"))
        shown = tick_text(10.0**value if axes[1].is_log else value)
        parts.append(element("text", shown, x=LEFT - 5, y=number(top + 4), class_="tick tick-y"))
    return joined(parts)


def _lines(series: Sequence[Series], frame: _Frame) -> Html:
    paths = []
    for index, one in enumerate(series):
        path, pen_up = [], True
        for left, top in _points(one, frame, keep_gaps=True):
            if np.isfinite(left) and np.isfinite(top):
                path.append(f"{'M' if pen_up else 'L'}{number(left)} {number(top)}")
            pen_up = not (np.isfinite(left) and np.isfinite(top))
        paths.append(element("path", d="".join(path), class_=f"line line-{one.style_at(index)}"))
    return joined(paths)


def _estimates(series: Sequence[Series]) -> list[Estimates]:
    return [one for one in series if isinstance(one, Estimates)]


def _whiskers(series: Sequence[Series], frame: _Frame) -> Iterator[Html]:
    """Beside one another where lines meet, so that each can be seen; with a dot on the estimate."""
    for index, one in enumerate(series):
        if not isinstance(one, Estimates):
            continue
        lefts = frame.across(one.x) + 3.0 * (index - (len(series) - 1) / 2)
        for left, top, low, high in zip(lefts, *map(frame.down, (one.y, one.low, one.high)), strict=True):
            path = f"M{number(left)} {number(low)}V{number(high)}"
            yield element("path", d=path, class_=f"interval stroke-{one.style_at(index)}")
            yield element("circle", cx=number(left), cy=number(top), r=3, class_=f"dot-{one.style_at(index)}")


def _points(one: Series, frame: _Frame, *, keep_gaps: bool = False) -> list[tuple[float, float]]:
    step = max(1, -(-len(one.x) // MOST_POINTS))
    places = np.stack([frame.across(one.x[::step]), frame.down(one.y[::step])], axis=-1)
    chosen = places if keep_gaps else places[np.isfinite(places).all(axis=-1)]
    return [(float(left), float(top)) for left, top in chosen]


def _mark(place: tuple[float, float], style: int) -> str:
    return f"M{number(place[0])} {number(place[1])}{MARKS[style % len(MARKS)]}"


def _mark_width(style: int) -> float:
    return 3.5 if MARKS[style % len(MARKS)] == "h0" else 1.2


def _legend(series: Sequence[Series], kind: Literal["line", "marks"]) -> Html:
    if len(series) < 2:
        return Html("")
    entries = [
        element("li", _legend_sample(one.style_at(index), kind), element("span", one.name))
        for index, one in enumerate(series)
    ]
    return element("ul", *entries, class_="legend")


def _legend_sample(style: int, kind: Literal["line", "marks"]) -> Html:
    drawn = (
        element("line", x1=0, x2=24, y1=5, y2=5, class_=f"line line-{style}")
        if kind == "line"
        else element("path", d=_mark((12.0, 5.0), style), class_=f"marks marks-{style}")
    )
    return element("svg", drawn, viewBox="0 0 24 10", width=24, height=10, aria_hidden="true")


def limits(values: Sequence[Array], axis: ChartAxis) -> tuple[float, float]:
    """A range with a little room around all finite values; never empty."""
    joint = np.concatenate([np.asarray(axis.includes, dtype=float), *values])
    joint = joint[np.isfinite(joint)]
    if not len(joint):
        return 0.0, 1.0
    low, high = float(joint.min()), float(joint.max())
    room = 0.04 * (high - low) or 0.5 * max(abs(low), 1e-3)
    return low - room, high + room


def _logarithm(values: Array) -> Array:
    return np.log10(np.where(values > 0, values, np.nan))


def _equal_scale(frame: _Frame) -> _Frame:
    across, down = frame.x[1] - frame.x[0], frame.y[1] - frame.y[0]
    unit = max(across / (WIDTH - LEFT - RIGHT), down / (HEIGHT - TOP - BOTTOM))
    return _Frame(_widened(frame.x, unit * (WIDTH - LEFT - RIGHT)), _widened(frame.y, unit * (HEIGHT - TOP - BOTTOM)))


def _widened(span: tuple[float, float], width: float) -> tuple[float, float]:
    middle = (span[0] + span[1]) / 2
    return middle - width / 2, middle + width / 2


def ticks(span: tuple[float, float], axis: ChartAxis) -> list[float]:
    """Some six round numbers in `span`: multiples of 1, 2 or 5 times a power of ten."""
    if axis.is_log:
        return _log_ticks(span, axis)
    low, high = span
    raw = max((high - low) / 6, 1.0 if axis.is_count else 0.0)
    power = 10.0 ** np.floor(np.log10(raw))
    step = power * next((factor for factor in (1.0, 2.0, 5.0) if factor * power >= raw), 10.0)
    return [float(step * count) for count in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]


def _log_ticks(span: tuple[float, float], axis: ChartAxis) -> list[float]:
    """Logarithms of round numbers: of powers of ten over many decades, with 2 and 5 times these over few."""
    low, high = span
    if high - low < 1.0:
        return [float(np.log10(value)) for value in ticks((10.0**low, 10.0**high), replace(axis, is_log=False))]
    powers = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    factors = (1.0, 2.0, 5.0) if high - low < 2.5 else (1.0,)
    marks = [power + float(np.log10(factor)) for power in powers[:: max(1, len(powers) // 7)] for factor in factors]
    return [mark for mark in marks if low <= mark <= high]


def tick_text(value: float) -> str:
    """A number beside an axis."""
    return f"{value:.6g}".replace("-", "\N{MINUS SIGN}") if abs(value) > 1e-12 else "0"


def number(value: float) -> str:
    """A coordinate of a drawing."""
    return f"{value:.1f}".removesuffix(".0")
