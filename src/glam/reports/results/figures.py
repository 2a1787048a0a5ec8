"""The charts that several sections share."""

from collections.abc import Mapping, Sequence

from glam.evaluation.comparison import Comparison
from glam.reports.bars import Row, Stack, bar_chart, range_chart, stacked_chart
from glam.reports.charts import PALETTE, Axis
from glam.reports.markup import Html
from glam.reports.results.paper import METHODS
from glam.reports.results.trials import Trials, points
from glam.reports.summary.results import KINDS, STAGES
from glam.statistics.intervals import Interval

PERCENT = Axis("success (%)", includes=(0.0, 100.0))
_GREY = len(PALETTE) - 1
_ORDER = ("glam-o", *(name for name in METHODS if name != "glam-o"))


def style(method: str) -> int:
    """Number of a method's colour, the same in all charts; whatever is not the paper's is grey."""
    return min(_ORDER.index(method), _GREY) if method in _ORDER else _GREY


def scaled(interval: Interval) -> Interval:
    """In percent."""
    return Interval(100 * interval.estimate, 100 * interval.low, 100 * interval.high)


def success_chart(title: str, methods: Sequence[Trials], printed: Mapping[str, float] | None = None) -> Html:
    """Bars with Wilson intervals, and what the paper prints of them by method."""
    known = printed or {}
    rows = [
        Row(
            name=one.name,
            value=scaled(one.rate),
            text=f"{100 * one.rate.estimate:.1f} %",
            dots=tuple(100 * rate for rate in one.rates) if len(one.rates) > 1 else (),
            style=style(one.name),
            printed=(known[one.name],) if one.name in known else (),
        )
        for one in methods
    ]
    return bar_chart(title, rows, PERCENT)


def difference_chart(title: str, comparisons: Sequence[Comparison]) -> Html:
    """Newcombe intervals."""
    rows = [
        Row(f"over {one.b.name}", scaled(one.difference), points(one.difference), style=style(one.b.name))
        for one in comparisons
    ]
    return range_chart(title, rows, Axis("percentage points", includes=(0.0,)))


def failure_chart(title: str, methods: Sequence[Trials]) -> Html:
    """Where episodes end."""
    stacks = []
    for one in methods:
        counts = {"none": one.successes, **one.failed_stages}
        shares = {name: 100 * counts.get(stage, 0) / one.episodes for name, stage in STAGES.items()}
        stacks.append(Stack(one.name, shares, f"{one.episodes - one.successes} of {one.episodes} fail"))
    return stacked_chart(title, stacks, KINDS, Axis("episodes (%)", includes=(0.0, 100.0)))
