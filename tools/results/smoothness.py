"""Smoothness of policies: both scores along the data-gap figure, and joints over a held-out demonstration."""

from collections.abc import Iterator, Mapping
from math import sqrt
from typing import Any

import numpy as np

from glam.evaluation.statistics import Interval, normal_quantile
from glam.reports.charts import Array, ChartAxis, Estimates, Series, line_chart
from glam.reports.markup import Html
from results.document import NOT_RUN, Block, Figures, Section, Table, Words
from results.images import svg_image
from results.record import GridRecord, RecordedRun, Records
from results.scaling import MIP, MORE_UNLABELLED, Curve, curves
from results.trials import Trials

GRID = "smoothness"
SCORES = {"jerk": ("Jerk score", "log dimensionless jerk", 1.0), "fft": ("FFT score", "mm/s", 1000.0)}
"""Title, unit, and factor to that unit."""
_WORDS = (
    "Mean over all trials with 95 % intervals. Jerk score: less negative is smoother. FFT score: lower is smoother. A "
    "failure lasts until max_episode_steps, so scores of policies that fail often describe other movements; the second "
    "table has successes only."
)
_PAPER = "The paper: policies on latent actions move more smoothly than behaviour cloning, by both scores."
_FEWEST, _MOST = 100, 500
_STYLES = {"expert": 7, "glam-o": 0, "mip": 1}


def smoothness(records: Records) -> Section:
    """The section."""
    return Section("Smoothness", tuple(_blocks(records.grid(GRID))))


def _blocks(record: GridRecord) -> Iterator[Block]:
    if not record.cells:
        yield Words(f"Not run yet: glam bench {GRID}.")
        return
    found = curves(record)
    yield Words(_PAPER, is_headline=True)
    yield Words(f"Here: {_found(found)}", is_headline=True)
    charts = [_chart(score, found) for score in SCORES if _points(found, score)]
    if charts:
        words = "Jerk and FFT score of the policies over the number of demonstrations"
        yield Figures(tuple(charts), images=(svg_image(GRID, words, charts),))
    yield Words(_WORDS)
    yield _table("All trials", found, "smoothness")
    yield _table("Successes only", found, "smoothness_of_successes")
    shown = [run for _, run in record.done("trajectories")]
    if not shown:
        yield Words("Joint trajectories: not run.")
    for run in shown[:1]:  # one training is enough to look at
        yield from _trajectories(run)


def _found(found: Mapping[str, Curve]) -> str:
    """Both scores of mip and of glam-o where both have the fewest labels, in successes."""
    sides = {"mip": found[MIP].get(_FEWEST), "glam-o": found[MORE_UNLABELLED].get(_MOST)}
    said = []
    for score, (title, unit, factor) in SCORES.items():
        means = {name: mean(one, score, "smoothness_of_successes") for name, one in sides.items() if one}
        told = [f"{factor * value.estimate:.2f} of {name}" for name, values in means.items() for value in values]
        if len(told) == len(sides):
            said.append(f"{title} {' and '.join(told)} ({unit})")
    return f"in successes, with 100 labels: {'; '.join(said)}." if said else "not run yet."


def mean(one: Trials, score: str, which: str) -> tuple[Interval, ...]:
    """Of all movements of all trainings, with a 95 % interval; nothing when none was scored."""
    parts = [result[which] for result in one.results if result.get(which, {}).get("movements")]
    if not parts:
        return ()
    counts = np.array([part["movements"] for part in parts])
    means = np.array([part[score] for part in parts])
    spreads = np.array([part[f"{score}_deviation"] for part in parts])
    total = float(counts.sum())
    middle = float(counts @ means / total)
    variance = float((counts * (spreads**2 + (means - middle) ** 2)).sum() / total)
    half = normal_quantile(0.975) * sqrt(variance / total)
    return (Interval(middle, middle - half, middle + half),)


def _points(found: Mapping[str, Curve], score: str) -> bool:
    return any(mean(one, score, "smoothness") for curve in found.values() for one in curve.values())


def _chart(score: str, found: Mapping[str, Curve]) -> Html:
    title, unit, factor = SCORES[score]
    lines = []
    for style, (name, curve) in zip((1, 0, 2), found.items(), strict=True):
        scored = {total: value for total, one in curve.items() for value in mean(one, score, "smoothness")}
        numbers = factor * np.array([(one.estimate, one.low, one.high) for one in scored.values()]).reshape(-1, 3).T
        if scored:
            lines.append(Estimates(name, np.array(list(scored), float), numbers[0], style, numbers[1], numbers[2]))
    return line_chart(title, lines, ChartAxis("demonstrations for training"), ChartAxis(unit))


def _table(title: str, found: Mapping[str, Curve], which: str) -> Table:
    columns = [f"{name}: {SCORES[score][0].lower()}" for name in found for score in SCORES]
    totals = sorted({total for curve in found.values() for total in curve})
    rows = [
        (str(total), *(_entry(curve, total, score, which) for curve in found.values() for score in SCORES))
        for total in totals
    ]
    return Table(("demonstrations", *columns), tuple(rows), title)


def _entry(curve: Curve, total: int, score: str, which: str) -> str:
    if total not in curve:
        return "-"
    factor = SCORES[score][2]
    for value in mean(curve[total], score, which):
        return f"{factor * value.estimate:.2f} [{factor * value.low:.2f}, {factor * value.high:.2f}]"
    return "-" if curve[total].is_run else NOT_RUN


def _trajectories(run: RecordedRun) -> Iterator[Block]:
    result = run.result
    policies: Mapping[str, Mapping[str, Any]] = result["policies"]
    ends = [f"{name} {'succeeds' if one['is_success'] else 'fails'}" for name, one in policies.items()]
    title = f"Joint targets from the start of held-out demonstration {result['seed']}: {', '.join(ends)}"
    online, words = tuple(_joints(result, "online")), f"Joint targets of the expert and of {', '.join(policies)}"
    image_of = svg_image("trajectories", words, online, 4)
    yield Figures(online, title, "Closed loop, from the expert's start.", (image_of,))
    along = f"Joint targets along held-out demonstration {result['seed']}"
    yield Figures(tuple(_joints(result, "followed")), along, "Open loop, on the expert's observations.", is_folded=True)
    rows = [("expert", "-", f"{result['expert']['roughness_degrees']:.3f}")]
    rows += [(name, f"{one['error_degrees']:.2f}", f"{one['roughness_degrees']:.3f}") for name, one in policies.items()]
    columns = ("who", "distance from the expert (degrees)", "second difference (degrees)")
    yield Table(columns, tuple(rows), f"Joint targets along {result['demonstrations']} held-out demonstrations, means")


def _joints(result: Mapping[str, Any], which: str) -> Iterator[Html]:
    policies: Mapping[str, Mapping[str, Any]] = result["policies"]
    for joint, expert in result["expert"]["actions"].items():
        is_gripper = "gripper" in joint
        factor = result["unit"] * (100.0 if is_gripper else float(np.degrees(1.0)))
        lines = {"expert": expert} | {name: one[which][joint] for name, one in policies.items()}
        series = [_series(name, factor * _numbers(line), result["rate"]) for name, line in lines.items()]
        unit = "command (%)" if is_gripper else "degrees"
        yield line_chart(joint.removesuffix(".pos").replace("_", " "), series, ChartAxis("time (s)"), ChartAxis(unit))


def _series(name: str, values: Array, rate: float) -> Series:
    return Series(name, np.arange(len(values)) / rate, values, _STYLES.get(name, 3))


def _numbers(line: str) -> Array:
    return np.array(line.split(), float)
