"""Success rates, their differences and failed stages, in words and as charts: the same on all pages."""

from collections.abc import Callable, Mapping, Sequence

from glam.evaluation.comparison import SuccessComparison
from glam.evaluation.evaluations import STAGES
from glam.evaluation.statistics import Interval, across_seeds
from glam.reports.bars import Row, Stack, bar_chart, range_chart, stacked_chart
from glam.reports.charts import ChartAxis
from glam.reports.markup import Html

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
