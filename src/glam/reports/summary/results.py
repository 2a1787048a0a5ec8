"""Success of each method, differences, failed stages and smoothness; for each grid of `glam bench` a table."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from glam.core.errors import GlamError
from glam.core.files import read_json
from glam.evaluation.comparison import PairedComparison, SuccessComparison
from glam.evaluation.evaluations import RolloutRecord
from glam.evaluation.statistics import Interval, wilson
from glam.reports.bars import (
    Row,
    difference_chart,
    failure_chart,
    percent,
    range_chart,
    spread,
    success_chart,
    success_row,
)
from glam.reports.charts import ChartAxis
from glam.reports.markup import Html, element
from glam.reports.page import card, note, table, trio
from glam.reports.summary.material import GridTable, behind
from glam.reports.summary.variants import TaskComparison, Variant

Styles = dict[str, int]
"""Number of the colour of each method, the same in all charts."""

MOST_IN_TILES = 3


def headline(compared: TaskComparison) -> str:
    """The result in one sentence."""
    best = compared.variants[0]
    if len(compared.comparisons) == 1:
        return f"{compared.comparisons[0].sentence}."
    rate = f"{percent(best.rate.estimate)}, 95 % interval {_interval_words(best)}"
    words = f"{compared.task}: {best.name} succeeds in {best.successes} of {len(best.records)} ({rate})"
    beaten = [one.b.name for one in compared.comparisons if one.difference.low > 0]
    others = [one.b.name for one in compared.comparisons if not one.difference.excludes_zero]
    if beaten:
        words += f", more often than {_listed(beaten)}"
    if others:
        words += f"; no significant difference to {_listed(others)}"
    return f"{words}."


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def result_parts(compared: TaskComparison, styles: Styles) -> Iterator[Html]:
    """Everything about one comparison except its films."""
    tiles = _tiles(compared, styles)
    if tiles:
        yield element("div", *tiles, class_="tiles")
    rows = [
        success_row(_long_name(variant), variant.rate, variant.rates, styles[variant.name])
        for variant in compared.variants
    ]
    charts = [success_chart("Success with 95 % intervals", rows)]
    if compared.comparisons:
        title = f"Difference of {compared.reference.name}"
        charts.append(difference_chart(title, compared.comparisons, styles.__getitem__))
    ends = [
        (variant.name, Counter[str](record.failed_stage for record in variant.records)) for variant in compared.variants
    ]
    charts.append(failure_chart("Where episodes fail", ends))
    links = behind(compared.evaluations)
    yield card(trio(*charts), note(_INTERVAL_WORDS), links)
    motion = list(_motion(compared, styles))
    if motion:
        yield card(trio(*motion), note(_MOTION_WORDS), links, title="Motion in successful trials")
    yield card(_table(compared), links, title="All numbers")


def _tiles(compared: TaskComparison, styles: Styles) -> list[Html]:
    """The numbers in large print, for few methods."""
    rates = [_rate_tile(variant, styles[variant.name]) for variant in compared.variants]
    differences = [_difference_tile(comparison) for comparison in compared.comparisons[:1] if len(rates) == 2]
    return [*rates, *differences] if len(rates) <= MOST_IN_TILES else []


def _rate_tile(variant: Variant, style: int) -> Html:
    learnt = f"; trained on {variant.data_words}" if variant.data_words else ""
    return element(
        "div",
        element("p", element("strong", f"{100 * variant.rate.estimate:.1f}"), " %", class_="figure"),
        element("p", f"{variant.name} succeeds in {variant.successes} of {len(variant.records)}"),
        element("p", f"95 % interval {_interval_words(variant)}{learnt}.", class_="note"),
        class_=f"tile tone-{style}",
    )  # fmt: skip


def _difference_tile(comparison: SuccessComparison) -> Html:
    points, one, other = comparison.difference, comparison.a, comparison.b
    better = f"{one.name} is {'better' if points.estimate > 0 else 'worse'} than {other.name}"
    words = better if points.excludes_zero else "no significant difference"
    more = f"{one.name} {one.successes}/{one.trials}, {other.name} {other.successes}/{other.trials}"
    if isinstance(comparison, PairedComparison):
        more += f"; {comparison.pairs}"
    return element(
        "div",
        element("p", element("strong", f"{100 * points.estimate:+.1f}"), " points", class_="figure"),
        element("p", words),
        element("p", f"95 % interval {100 * points.low:+.1f} to {100 * points.high:+.1f}; {more}.", class_="note"),
        class_=f"tile {'ok' if points.excludes_zero else 'warning'}",
    )  # fmt: skip


_INTERVAL_WORDS = (
    "Wilson intervals of rates and Newcombe intervals of differences over all episodes, each for a single comparison. "
    "These intervals ignore run-to-run variation of the trainings; the table below shows it."
)
_MOTION_WORDS = (
    "Median and middle half of the successful episodes; failures last longer and are not comparable. Jerk score: log "
    "dimensionless jerk, higher is smoother. FFT score: mean weighted frequency of the speed, lower is smoother."
)
_MEASURES: dict[str, tuple[Callable[[RolloutRecord], Sequence[float]], str, str]] = {
    "Jerk score": (lambda record: [hand.jerk for hand in record.smoothness], "log dimensionless jerk", ".1f"),
    "FFT score": (lambda record: [1000 * hand.fft for hand in record.smoothness], "mm/s", ".2f"),
    "Steps to success": (lambda record: [record.steps], "control steps", ".0f"),
}


def _motion(compared: TaskComparison, styles: Styles) -> Iterator[Html]:
    for title, (measure, unit, form) in _MEASURES.items():
        rows = []
        for variant in compared.variants:
            values = [value for record in variant.records if record.is_success for value in measure(record)]
            if values:
                low, middle, high = np.percentile(values, (25, 50, 75))
                text = f"{middle:{form}}".replace("-", "\N{MINUS SIGN}")
                rows.append(
                    Row(
                        variant.name, Interval(float(middle), float(low), float(high)), text, style=styles[variant.name]
                    )
                )
        if rows:
            yield range_chart(title, rows, ChartAxis(unit))


def _table(compared: TaskComparison) -> Html:
    columns = ("method", "trained on", "trainings", "successes", "rate", "95 % interval", "across trainings")
    rows = []
    for variant in compared.variants:
        rows.append((
            variant.name,
            variant.data_words or "not recorded",
            f"{len(variant.evaluations)}",
            f"{variant.successes} of {len(variant.records)}",
            percent(variant.rate.estimate),
            f"{_interval_words(variant)} %",
            spread(variant.rates),
        ))  # fmt: skip
    return table(columns, rows)


def _long_name(variant: Variant) -> str:
    words = variant.data_words
    return variant.name if not words or words in variant.name else f"{variant.name}, {words}"


def _interval_words(variant: Variant) -> str:
    return f"{100 * variant.rate.low:.1f} to {100 * variant.rate.high:.1f}"


_COLUMNS = ("task", "method", "detail", "what", "trainings", "successes", "rate", "95 % interval")
_WORDS = "All trainings of a cell together. Intervals are Wilson intervals and ignore run-to-run variation."
_COUNTED = {"evaluation": "trials", "replay": "replays"}
"""Kinds of runs that have successes, and the word for them."""


def is_benchmark(folder: Path) -> bool:
    """Tell whether a folder holds records of `glam bench`."""
    return any(True for _ in _records(folder))


def read_benchmarks(folder: Path) -> Iterator[GridTable]:
    """Read all records of a folder."""
    for path, record in _records(folder):
        try:
            yield GridTable(str(record["benchmark"]), tuple(_rows(record)))
        except (KeyError, TypeError, AttributeError) as error:
            raise GlamError(f"{path}: not a record of glam bench ({error!r}); run `glam bench` again") from None


def benchmark_parts(grid: GridTable) -> Iterator[Html]:
    """The table of a grid."""
    yield card(table(_COLUMNS, grid.rows), note(_WORDS))


def _records(folder: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for path in sorted(folder.glob("*.json")):
        with suppress(GlamError):  # other files may be anything
            record = read_json(path)
            if isinstance(record, dict) and {"benchmark", "cells", "runs"} <= record.keys():
                yield path, record


def _rows(record: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    results = {(run["kind"], run["name"]): run["result"] for run in record["runs"]}
    cells: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for cell in record["cells"]:
        if cell["kind"] in _COUNTED:
            key = (cell["task"], cell["method"], cell["detail"], cell["kind"])
            cells.setdefault(key, []).append((cell["kind"], cell["run"]))
    for (task, method, detail, kind), runs in cells.items():
        done = [results[run] for run in runs if run in results]
        trainings = f"{len(done)} of {len(runs)}"
        yield (task, method, detail, _COUNTED[kind], trainings, *_success([_counts(kind, one) for one in done]))


def _counts(kind: str, result: Mapping[str, Any]) -> tuple[int, int]:
    found = result["summary"] if kind == "replay" else result
    return int(found["successes"]), int(found["episodes"])


def _success(counts: Sequence[tuple[int, int]]) -> tuple[str, str, str]:
    successes, episodes = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
    if not episodes:
        return "not run", "-", "-"
    rate = wilson(successes, episodes)
    return (
        f"{successes} of {episodes}",
        f"{100 * rate.estimate:.1f} %",
        f"{100 * rate.low:.1f} to {100 * rate.high:.1f} %",
    )
