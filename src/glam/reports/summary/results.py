"""How often each method succeeds, by how much one is better, where episodes fail, and how smoothly the arm moves."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from glam.evaluation.comparison import Comparison, PairedComparison
from glam.evaluation.records import EpisodeRecord
from glam.reports.bars import Row, range_chart
from glam.reports.charts import Axis
from glam.reports.markup import Html, element
from glam.reports.page import card, note, table, trio
from glam.reports.success import difference_chart, failure_chart, percent, spread, success_chart, success_row
from glam.reports.summary.arms import Arm, Contest
from glam.reports.summary.provenance import behind
from glam.statistics.intervals import Interval

Styles = dict[str, int]
"""Number of the colour of each method, the same in all charts."""

MOST_IN_TILES = 2


def headline(contest: Contest) -> str:
    """The result in one sentence."""
    best = contest.arms[0]
    if len(contest.comparisons) == 1:
        return f"{contest.comparisons[0].sentence}."
    rate = f"{percent(best.rate.estimate)}, 95 % interval {_interval_words(best)}"
    words = f"{contest.task}: {best.name} succeeds in {best.successes} of {len(best.records)} ({rate})"
    beaten = [one.b.name for one in contest.comparisons if one.difference.excludes_zero]
    others = [one.b.name for one in contest.comparisons if not one.difference.excludes_zero]
    if beaten:
        words += f", more often than {_listed(beaten)}"
    if others:
        words += f"; against {_listed(others)} the data do not decide"
    return f"{words}."


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def result_parts(contest: Contest, styles: Styles) -> Iterator[Html]:
    """Everything about one contest but its films."""
    tiles = _tiles(contest, styles)
    if tiles:
        yield element("div", *tiles, class_="tiles")
    rows = [success_row(_long_name(arm), arm.rate, arm.rates, styles[arm.name]) for arm in contest.arms]
    charts = [success_chart("Success with 95 % intervals", rows)]
    if contest.comparisons:
        title = f"By how much {contest.arms[0].name} is better"
        charts.append(difference_chart(title, contest.comparisons, styles.__getitem__))
    ends = [(arm.name, Counter[str](record.failed_stage for record in arm.records)) for arm in contest.arms]
    charts.append(failure_chart("Where episodes fail", ends))
    links = behind(evaluation.root for evaluation in contest.evaluations)
    yield card(trio(*charts), note(_INTERVAL_WORDS), links)
    yield card(trio(*_motion(contest, styles)), note(_MOTION_WORDS), links, title="How the arm moves in successes")
    yield card(_table(contest), links, title="All numbers")


def _tiles(contest: Contest, styles: Styles) -> list[Html]:
    """The numbers in large print; of many methods the charts give a better idea."""
    rates = [_rate_tile(arm, styles[arm.name]) for arm in contest.arms]
    differences = [_difference_tile(comparison) for comparison in contest.comparisons]
    return [*rates, *differences] if len(rates) <= MOST_IN_TILES else []


def _rate_tile(arm: Arm, style: int) -> Html:
    learnt = f"; learnt from {arm.data_words}" if arm.data_words else ""
    return element(
        "div",
        element("p", element("strong", f"{100 * arm.rate.estimate:.1f}"), " %", class_="figure"),
        element("p", f"{arm.name} succeeds in {arm.successes} of {len(arm.records)}"),
        element("p", f"95 % interval {_interval_words(arm)}{learnt}.", class_="note"),
        class_=f"tile tone-{style}",
    )  # fmt: skip


def _difference_tile(comparison: Comparison) -> Html:
    points, one, other = comparison.difference, comparison.a, comparison.b
    words = f"{one.name} is better than {other.name}" if points.excludes_zero else "the data do not decide"
    more = f"{one.name} {one.successes}/{one.trials}, {other.name} {other.successes}/{other.trials}"
    if isinstance(comparison, PairedComparison):
        more += f"; of the same {one.trials} episodes {comparison.gained} gained and {comparison.lost} lost"
    return element(
        "div",
        element("p", element("strong", f"{100 * points.estimate:+.1f}"), " points", class_="figure"),
        element("p", words),
        element("p", f"95 % interval {100 * points.low:+.1f} to {100 * points.high:+.1f}; {more}.", class_="note"),
        class_=f"tile {'ok' if points.excludes_zero else 'warning'}",
    )  # fmt: skip


_INTERVAL_WORDS = (
    "Wilson intervals of rates and Newcombe intervals of differences over all episodes; each is that of a single "
    "comparison. How much trainings of one method differ is not in them: that stands in the table."
)
_MOTION_WORDS = (
    "Median and middle half of the successful episodes; failures last longer and are not comparable. Jerk score: log "
    "dimensionless jerk, higher is smoother. FFT score: mean weighted frequency of the speed, lower is smoother."
)
_MEASURES: dict[str, tuple[Callable[[EpisodeRecord], Sequence[float]], str, str]] = {
    "Jerk score": (lambda record: [hand.jerk for hand in record.smoothness], "log dimensionless jerk", ".1f"),
    "FFT score": (lambda record: [1000 * hand.fft for hand in record.smoothness], "mm/s", ".2f"),
    "Steps to success": (lambda record: [record.steps], "control steps", ".0f"),
}


def _motion(contest: Contest, styles: Styles) -> Iterator[Html]:
    for title, (measure, unit, form) in _MEASURES.items():
        rows = []
        for arm in contest.arms:
            values = [value for record in arm.records if record.is_success for value in measure(record)]
            if values:
                low, middle, high = np.percentile(values, (25, 50, 75))
                text = f"{middle:{form}}".replace("-", "\N{MINUS SIGN}")
                rows.append(
                    Row(arm.name, Interval(float(middle), float(low), float(high)), text, style=styles[arm.name])
                )
        if rows:
            yield range_chart(title, rows, Axis(unit))


def _table(contest: Contest) -> Html:
    columns = ("method", "learnt from", "trainings", "successes", "rate", "95 % interval", "across trainings")
    rows = []
    for arm in contest.arms:
        rows.append((
            arm.name,
            arm.data_words or "not recorded",
            f"{len(arm.evaluations)}",
            f"{arm.successes} of {len(arm.records)}",
            percent(arm.rate.estimate),
            f"{_interval_words(arm)} %",
            spread(arm.rates),
        ))  # fmt: skip
    return table(columns, rows)


def _long_name(arm: Arm) -> str:
    words = arm.data_words
    return arm.name if not words or words in arm.name else f"{arm.name}, {words}"


def _interval_words(arm: Arm) -> str:
    return f"{100 * arm.rate.low:.1f} to {100 * arm.rate.high:.1f}"
