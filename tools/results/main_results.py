"""The figure of main results: every method on every task."""

from collections.abc import Iterator, Mapping

from glam.reports.bars import points
from results import paper
from results.document import NOT_RUN, Block, Figures, Section, Table, Words
from results.figures import difference_chart, failure_chart, success_chart
from results.films import NO_FILMS, Filmed, film_blocks
from results.record import GridRecord, Records
from results.trials import Trials, best, comparison, in_words, of_method, verdict

GRID = "main"
_COLUMNS = (
    "method", "trained on", "trainings", "successes", "rate, 95 % interval", "across trainings", "failures", "paper",
)  # fmt: skip
_OVERVIEW = (
    "task", "target", "glam-o", "best baseline", "difference", "verdict", "paper: glam-o", "paper: difference",
)  # fmt: skip
_WORDS = (
    "Success in unseen scenes, 200 for each training. Rates have Wilson intervals over all trials. Differences "
    "have Newcombe intervals over the trainings that both methods have. All intervals are 95 % and ignore run-to-run "
    "variation; where both methods have three trainings, a Welch interval over trainings is given as well. The "
    "baselines are those of the paper: mip, clam, clam-o, lapa and lapa-o. We add retarget (inverse kinematics) and "
    "upper-bound (all demonstrations labelled). The target kinova-lab is a simulation that replaces the paper's robot."
)

Methods = Mapping[str, Trials]


def methods_of(record: GridRecord, task: str) -> dict[str, Trials]:
    """All methods of the figure on one task, run or not."""
    return {name: of_method(record, task, name) for name in (*paper.METHODS, *paper.OURS)}


def best_baseline(methods: Methods) -> tuple[Trials, ...]:
    """The best of the paper's baselines; nothing when none has been run."""
    found = [methods[name] for name in paper.BASELINES if methods[name].is_run]
    return (best(found),) if found else ()


def main_results(records: Records, filmed: Filmed = NO_FILMS) -> Iterator[Section]:
    """An overview, and a section for each task."""
    record = records.grid(GRID)
    every = {task: methods_of(record, task) for task in paper.TASKS}
    yield Section("Main results", tuple(_overview(record, every)))
    for task, methods in every.items():
        if any(one.is_run for one in methods.values()):
            shown = [methods["glam-o"], *best_baseline(methods)]
            yield Section(f"Main results: {task}", (*_task(task, methods), *film_blocks(shown, filmed)))


def _overview(record: GridRecord, every: Mapping[str, Methods]) -> Iterator[Block]:
    if not record.cells:
        yield Words(f"Not run yet: glam bench {GRID}.")
        return
    names = tuple(next(iter(every.values())))
    yield Table(("task", *names), tuple(_rates(task, methods) for task, methods in every.items()), "Success in percent")
    rows = tuple(_overview_row(task, methods) for task, methods in every.items())
    yield Table(_OVERVIEW, rows)
    yield Words(_WORDS)


def _rates(task: str, methods: Methods) -> tuple[str, ...]:
    return (task, *(f"{100 * one.rate.estimate:.1f}" if one.is_run else "-" for one in methods.values()))


def _overview_row(task: str, methods: Methods) -> tuple[str, ...]:
    ours, rivals = methods["glam-o"], best_baseline(methods)
    found = [comparison(task, ours, rival).difference for rival in rivals if ours.is_run]
    return (
        task,
        _target(methods),
        ours.percent if ours.is_run else NOT_RUN,
        *([f"{one.name} {one.percent}" for one in rivals] or [NOT_RUN]),
        *([points(one) for one in found] or [NOT_RUN]),
        *([verdict(ours, rival) for rival in rivals if ours.is_run] or [NOT_RUN]),
        paper.GLAM_O.get(task, "in a figure only"),
        paper.OVER_BASELINE[task],
    )


def _target(methods: Methods) -> str:
    names = dict.fromkeys(cell.learnt_from[0].embodiment for one in methods.values() for cell in one.cells)
    return ", ".join(names)


def _task(task: str, methods: Methods) -> Iterator[Block]:
    run = [one for one in methods.values() if one.is_run]
    missing = [one.name for one in methods.values() if not one.is_run]
    for number, words in enumerate(_sentences(task, methods)):
        yield Words(words, is_headline=number == 0)
    printed = {"glam-o": paper.GLAM_O_PERCENT[task]} if task in paper.GLAM_O_PERCENT else {}
    charts = [success_chart("Success with 95 % intervals", run, printed)]
    ours = methods["glam-o"]
    others = [one for one in run if one is not ours]
    if ours.is_run and others:
        charts.append(difference_chart("By how much glam-o is better", [comparison(task, ours, one) for one in others]))
    yield Figures((*charts, failure_chart("Where episodes end", run)), note=_missing(missing))
    yield Table(_COLUMNS, tuple(row(one, _printed(task, one.name)) for one in methods.values()))


def _missing(names: list[str]) -> str:
    return f"Not run: {', '.join(names)}." if names else ""


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
        return (one.name, learnt, f"0 of {one.planned}", NOT_RUN, "-", "-", "-", printed)
    return (
        one.name,
        learnt,
        f"{len(one.trainings)} of {one.planned}",
        f"{one.successes} of {one.episodes}",
        one.percent,
        one.spread,
        one.failures,
        printed,
    )


def learnt_from(one: Trials) -> str:
    """Its sources, such as `100 kinova + 400 umi`."""
    sources = one.cells[0].learnt_from if one.cells else ()
    return " + ".join(f"{source.episodes} {source.embodiment}" for source in sources) or "-"
