"""All tasks together: interquartile mean and probability of improvement, and which of all intervals decides."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from glam.evaluation.statistics import Interval
from glam.evaluation.trainings import interquartile_mean, probability_of_improvement
from glam.reports.bars import Row, range_chart, scaled
from glam.reports.charts import ChartAxis
from results.document import Block, Figures, Section, Table, Words
from results.figures import style
from results.main_results import GRID, Methods, by_task
from results.record import Records
from results.trials import Trials, bounds

_DECIDES = (
    "The interval over trainings decides: whatever is called significant, every whisker and every goal goes by it. It "
    "comes from a mixed model of trainings and scenes and tells what other trainings would give in other "
    "scenes. Wilson and Newcombe intervals stand beside it in the tables: they hold for these trainings alone. "
    "With one training only these exist, and the text says so."
)
_AVERAGES = (
    "Interquartile mean: the mean of the middle half of all trainings on all tasks. Probability of improvement: that a "
    "training of glam-o is better than one of the other method on the same task, averaged over tasks. Both after "
    "Agarwal et al. (2021), with their intervals, which draw the trainings of each task anew; as the table below shows "
    "of such a bootstrap, three trainings make them too narrow. They are averages to look at, and decide nothing."
)
_COVERAGE = ("spread of trainings (points)", "hard scenes", "rate", "interval", "holds the truth", "width")


def aggregates(records: Records) -> Section:
    """The section."""
    return Section("All tasks together, and which interval decides", tuple(_blocks(records)))


def _blocks(records: Records) -> Iterator[Block]:
    every = by_task(records.grid(GRID))
    yield Words(_DECIDES)
    found = dict(_means(every))
    if found:
        rows = [Row(name, scaled(one), _shown(one), style=style(name)) for name, one in found.items()]
        charts = [range_chart("Interquartile mean of success", rows, ChartAxis("success (%)", (0.0, 100.0)))]
        wins = [Row(f"over {name}", scaled(one), _shown(one), style=style(name)) for name, one in _wins(every).items()]
        if wins:
            axis = ChartAxis("probability (%)", (0.0, 50.0, 100.0))
            charts.append(range_chart("Probability that glam-o is better", wins, axis))
        yield Figures(tuple(charts), note=_few(every))
        yield Words(_AVERAGES)
    yield from _coverage(records.coverage)


def _means(every: Mapping[str, Methods]) -> Iterator[tuple[str, Interval]]:
    """Of the methods that have been run on every task."""
    for name in next(iter(every.values())):
        trials = [methods[name] for methods in every.values()]
        if all(one.is_run for one in trials):
            yield name, interquartile_mean([one.rates for one in trials])


def _wins(every: Mapping[str, Methods]) -> dict[str, Interval]:
    def rates(name: str) -> list[tuple[float, ...]]:
        return [methods[name].rates for methods in every.values()]

    names = [name for name, _ in _means(every)]
    others = [name for name in names if name != "glam-o"] if "glam-o" in names else []
    return {name: probability_of_improvement(rates("glam-o"), rates(name)) for name in others}


def _few(every: Mapping[str, Methods]) -> str:
    run: Sequence[Trials] = [one for methods in every.values() for one in methods.values() if one.is_run]
    fewest = min(len(one.trainings) for one in run)
    return "" if fewest > 1 else "Some methods have one training on a task, whose spread these intervals do not know."


def _shown(interval: Interval) -> str:
    return f"{100 * interval.estimate:.1f} {bounds(interval)}"


def _coverage(measured: Mapping[str, Any]) -> Iterator[Block]:
    """How often each interval holds the truth."""
    if not measured:
        return
    rows = [row for entry in measured["rates"] for row in _coverage_rows(entry, f"{100 * entry['rate']:.0f} %")]
    for entry in measured["differences"]:
        a, b = entry["rates"]
        rows += _coverage_rows(entry, f"{100 * a:.0f} - {100 * b:.0f} %")
    title = (
        f"How often 95 % intervals hold the truth: {measured['trainings']} trainings in {measured['scenes']} "
        f"scenes, {measured['tables']} simulated tables in each row"
    )
    yield Table(_COVERAGE, tuple(rows), title)


def _coverage_rows(entry: Mapping[str, Any], rate: str) -> list[tuple[str, ...]]:
    facts = (f"{100 * entry['spread']:.0f}", "yes" if entry["hardness"] else "no", rate)
    scores = {name: score for name, score in entry.items() if isinstance(score, dict)}
    return [
        (*facts, name, f"{100 * score['coverage']:.0f} %", f"{100 * score['width']:.1f}")
        for name, score in scores.items()
    ]
