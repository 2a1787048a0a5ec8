"""The figure of main results: every method on every task."""

from collections.abc import Iterator, Mapping, Sequence

from glam.evaluation.statistics import Interval
from glam.reports.bars import Row, points, range_chart, scaled
from glam.reports.charts import ChartAxis
from glam.reports.markup import Html
from results import paper
from results.document import NOT_RUN, Block, Figures, Section, Table, Words
from results.figures import difference_chart, failure_chart, success_chart
from results.films import NO_FILMS, Filmed, film_blocks
from results.images import svg_image
from results.record import GridRecord, Records
from results.trials import (
    UNKNOWN,
    Trials,
    best,
    bounds,
    comparison,
    difference_of_trials,
    in_words,
    of_method,
    verdict,
)

GRID = "main"
_COLUMNS = (
    "method", "trained on", "trainings", "successes", "rate, 95 % interval", "Wilson, these trainings alone",
    "across trainings", "failures", "paper",
)  # fmt: skip
_OVERVIEW = (
    "task", "target", "glam-o", "best baseline", "difference", "Newcombe, these trainings alone", "verdict",
    "paper: glam-o", "paper: difference",
)  # fmt: skip
_PAPER = (
    "The paper: GLAM with object masks (glam-o) is best on every task, by 35 points over the best baseline on average "
    "of the three tasks with a real robot, by 44 on stack-two and by 69 on stack-three."
)
_WORDS = (
    "Success in unseen scenes, 200 for each training. The baselines are those of the paper: mip, clam, clam-o, "
    "lapa and lapa-o. We add retarget (inverse kinematics) and upper-bound (all demonstrations labelled). The target "
    "kinova-lab is a simulation that replaces the paper's robot. Differences are between the trainings that both "
    "methods have."
)

Methods = Mapping[str, Trials]


def methods_of(record: GridRecord, task: str) -> dict[str, Trials]:
    """All methods of the figure on one task, run or not."""
    return {name: of_method(record, task, name) for name in (*paper.METHODS, *paper.OURS)}


def by_task(record: GridRecord) -> dict[str, dict[str, Trials]]:
    """The same for every task."""
    return {task: methods_of(record, task) for task in paper.TASKS}


def best_baseline(methods: Methods) -> tuple[Trials, ...]:
    """The best of the paper's baselines; nothing when none has been run."""
    found = [methods[name] for name in paper.BASELINES if methods[name].is_run]
    return (best(found),) if found else ()


def leads(every: Mapping[str, Methods], method: str = "glam-o") -> dict[str, Interval]:
    """By how much a method is better than the best baseline, on the tasks on which both have been run."""
    return {
        task: comparison(task, methods[method], rival).difference
        for task, methods in every.items()
        for rival in best_baseline(methods)
        if methods[method].is_run
    }


def main_results(records: Records) -> Section:
    """The overview."""
    return Section("Main results", tuple(_overview(records.grid(GRID))))


def each_task(records: Records, filmed: Filmed = NO_FILMS) -> Iterator[Section]:
    """A section for each task of which something was run."""
    for task, methods in by_task(records.grid(GRID)).items():
        if any(one.is_run for one in methods.values()):
            shown = [methods["glam-o"], *best_baseline(methods)]
            yield Section(f"Main results: {task}", (*_task(task, methods), *film_blocks(shown, filmed)))


def _overview(record: GridRecord) -> Iterator[Block]:
    if not record.cells:
        yield Words(f"Not run yet: glam bench {GRID}.")
        return
    every = by_task(record)
    yield Words(_PAPER, is_headline=True)
    yield from (Words(words, is_headline=True) for words in _found(every))
    charts = tuple(_charts(every))
    yield Figures(charts, note=_missing_note(every), images=(svg_image("main", _image_words(every), charts, 3),))
    names = tuple(next(iter(every.values())))
    yield Table(("task", *names), tuple(_rates(task, methods) for task, methods in every.items()), "Success in percent")
    rows = tuple(_overview_row(task, methods) for task, methods in every.items())
    yield Table(_OVERVIEW, rows, "glam-o and the best baseline")
    yield Words(_WORDS)


def _found(every: Mapping[str, Methods]) -> Iterator[str]:
    found = leads(every)
    if not found:
        yield "Here: too little has been run to compare."
        return
    first = [task for task, lead in found.items() if lead.estimate > 0]
    above = [task for task, lead in found.items() if lead.low > 0]
    average = 100 * sum(lead.estimate for lead in found.values()) / len(found)
    yield (
        f"Here: glam-o has a higher rate than the best baseline on {len(first)} of {len(found)} tasks "
        f"({_listed(first)}), with an interval above zero on {len(above)} ({_listed(above)}); {average:+.1f} points on "
        f"average."
    )
    single = [task for task in found if len(every[task]["glam-o"].trainings) < 2]
    if single:
        yield f"One training of each method on {_listed(single)}: how much trainings differ there is unknown."


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _charts(every: Mapping[str, Methods]) -> Iterator[Html]:
    """A chart for each task, and one of the lead over the best baseline."""
    for task, methods in every.items():
        run = [one for one in methods.values() if one.is_run]
        if run:
            yield success_chart(f"{task}: success", run, _papers(task, methods))
    found = leads(every)
    rows = [Row(task, scaled(lead), points(lead), style=0, printed=(paper.LEAD[task],)) for task, lead in found.items()]
    if rows:
        yield range_chart("Lead of glam-o over the best baseline", rows, ChartAxis("percentage points", (0.0,)))


def _papers(task: str, methods: Methods) -> dict[str, float]:
    """What the paper prints of this task, its best baseline beside ours."""
    printed = {"glam-o": paper.GLAM_O_PERCENT[task]} if task in paper.GLAM_O_PERCENT else {}
    if task in paper.BASELINE_PERCENT:
        printed |= {one.name: paper.BASELINE_PERCENT[task] for one in best_baseline(methods)}
    return printed


def _image_words(every: Mapping[str, Methods]) -> str:
    return f"Success of every method on {_listed([*every])}, with intervals, and the lead of glam-o beside the paper's"


def _missing_note(every: Mapping[str, Methods]) -> str:
    missing = [
        f"{task}: {', '.join(names)}"
        for task, methods in every.items()
        for names in [[one.name for one in methods.values() if not one.is_run]]
        if names
    ]
    return f"Not run: {'; '.join(missing)}." if missing else ""


def _rates(task: str, methods: Methods) -> tuple[str, ...]:
    return (task, *(f"{100 * one.rate.estimate:.1f}" if one.is_run else "-" for one in methods.values()))


def _overview_row(task: str, methods: Methods) -> tuple[str, ...]:
    ours, rivals = methods["glam-o"], best_baseline(methods)
    compared = [rival for rival in rivals if ours.is_run]
    return (
        task,
        _target(methods),
        ours.percent if ours.is_run else NOT_RUN,
        *([f"{one.name} {one.percent}" for one in rivals] or [NOT_RUN]),
        *([points(comparison(task, ours, rival).difference) for rival in compared] or [NOT_RUN]),
        *([points(difference_of_trials(ours, rival)) for rival in compared] or [NOT_RUN]),
        *([verdict(ours, rival) for rival in compared] or [NOT_RUN]),
        paper.GLAM_O.get(task, "in a figure only"),
        paper.OVER_BASELINE[task],
    )


def _target(methods: Methods) -> str:
    names = dict.fromkeys(cell.learnt_from[0].embodiment for one in methods.values() for cell in one.cells)
    return ", ".join(names)


def _task(task: str, methods: Methods) -> Iterator[Block]:
    run = [one for one in methods.values() if one.is_run]
    missing = [one.name for one in methods.values() if not one.is_run]
    for words in _sentences(task, methods):
        yield Words(words)
    ours = methods["glam-o"]
    others = [one for one in run if one is not ours]
    charts = [failure_chart("Where episodes end", run)]
    if ours.is_run and others:
        compared = [comparison(task, ours, one) for one in others]
        charts.insert(0, difference_chart("By how much glam-o is better", compared))
    yield Figures(tuple(charts), note=f"Not run: {', '.join(missing)}." if missing else "")
    yield Table(_COLUMNS, tuple(row(one, _printed(task, one.name)) for one in methods.values()), f"Methods on {task}")


def _sentences(task: str, methods: Methods) -> Iterator[str]:
    """The differences that the paper reports, and the failures of glam-o."""
    ours, plain, practice = methods["glam-o"], methods["glam"], methods["retarget"]
    if not ours.is_run:
        return
    for rival in best_baseline(methods):
        yield f"Compared with the best baseline: {in_words(task, ours, rival)}."
    if plain.is_run:
        least = 100 * comparison(task, ours, plain).at_least
        word = "significant" if least > 0 else "not significant"
        said = f"; the paper: {paper.OVER_GLAM[task]}" if task in paper.OVER_GLAM else ""
        asked = f"95 %, one-sided, trainings of both: {len(ours.trainings.keys() & plain.trainings.keys())}"
        yield f"Object masks: glam-o minus glam is at least {least:+.1f} points ({asked}): {word}{said}."
    if practice.is_run:
        yield f"Compared with inverse kinematics: {in_words(task, ours, practice)}."
    failed = f"{ours.episodes - ours.successes} of {ours.episodes}"
    yield f"glam-o fails in {failed} trials, by stage of the task: {ours.failures}."


def _printed(task: str, method: str) -> str:
    if method == "glam-o":
        return paper.GLAM_O.get(task, "-")
    return paper.BASELINE.get(task, "-") if method in paper.BASELINES else "-"


def row(one: Trials, printed: str) -> tuple[str, ...]:
    """A method in a table of trials."""
    learnt = learnt_from(one)
    if not one.is_run:
        return (one.name, learnt, f"0 of {one.planned}", NOT_RUN, "-", "-", "-", "-", printed)
    return (
        one.name,
        learnt,
        f"{len(one.trainings)} of {one.planned}",
        f"{one.successes} of {one.episodes}",
        one.percent if one.table else f"{100 * one.rate.estimate:.1f} % ({UNKNOWN})",
        bounds(one.rate_of_trials),
        one.spread if one.table else "-",
        one.failures,
        printed,
    )


def learnt_from(one: Trials) -> str:
    """Its sources, such as `100 kinova + 400 umi`."""
    sources = one.cells[0].learnt_from if one.cells else ()
    return " + ".join(f"{source.episodes} {source.embodiment}" for source in sources) or "-"
