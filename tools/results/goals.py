"""Our acceptance goals, and whether they are met."""

from collections.abc import Iterator, Mapping

from glam.reports.bars import points
from results import paper
from results.costs import hours
from results.document import NOT_RUN, Section, Table, Words
from results.main_results import Methods, best_baseline, methods_of
from results.policies import GRID as POLICIES
from results.record import GridRecord, Records
from results.scaling import MIP, MORE_UNLABELLED, curves
from results.sources import THIRD, pairs
from results.trials import best, comparison, of_method

RATES = {"lift": 95.0, "pick-place": 90.0, "knock-down": 95.0, "stack-two": 93.0, "stack-three": 75.0}
"""Success of glam-o in percent."""
SIGNIFICANT_TASKS = 3
"""Tasks on which the difference to the best baseline should be significant."""
TIMES = 3.0
"""As many labels as glam-o, which mip should need at least to match it."""
CEILING, ABOVE, BELOW = 97.0, 30.0, 5.0
"""Percent and points, of the policies for stack-two."""
HOURS = 8.0
"""Of two cores, for the main grid with one training of each cell."""

_WORDS = "The text below each table of results explains missed goals and what we tried."

Row = tuple[str, str, str]
"""Goal, what came out, verdict."""


def goals(records: Records) -> Section:
    """The section."""
    main = records.grid("main")
    tasks = {task: methods_of(main, task) for task in paper.TASKS}
    rows = [*_rates(tasks), _best_everywhere(tasks), _significant(tasks), _labels(records.grid("scaling"))]
    rows += [_third_source(records.grid(THIRD)), *_of_policies(records.grid(POLICIES)), _hours(main)]
    return Section("Goals", (Table(("goal", "found", "verdict"), tuple(rows)), Words(_WORDS)))


def _rates(tasks: Mapping[str, Methods]) -> Iterator[Row]:
    for task, goal in RATES.items():
        ours = tasks[task]["glam-o"]
        name = f"glam-o succeeds in {goal:.0f} % or more of {task}"
        if ours.is_run:
            yield name, ours.percent, _verdict(is_met=100 * ours.rate.estimate >= goal)
        else:
            yield _open(name)


def _best_everywhere(tasks: Mapping[str, Methods]) -> Row:
    name = "glam-o is the best of the paper's methods on every task"
    winners = {}
    for task, methods in tasks.items():
        run = [methods[method] for method in paper.METHODS if methods[method].is_run]
        if len(run) > 1 and methods["glam-o"].is_run:
            winners[task] = best(sorted(run, key=lambda one: one.name != "glam-o")).name  # a tie is no defeat
    if not winners:
        return _open(name)
    found = ", ".join(f"{task}: {winner}" for task, winner in winners.items())
    is_met, is_whole = set(winners.values()) == {"glam-o"}, len(winners) == len(tasks)
    return name, found, _verdict(is_met=is_met, is_final=is_whole or not is_met)


def _significant(tasks: Mapping[str, Methods]) -> Row:
    name = f"glam-o is significantly better than the best baseline on {SIGNIFICANT_TASKS} tasks or more"
    found = {
        task: comparison(task, methods["glam-o"], rival).difference
        for task, methods in tasks.items()
        for rival in best_baseline(methods)
        if methods["glam-o"].is_run
    }
    if not found:
        return _open(name)
    above = sum(one.low > 0 for one in found.values())
    words = ", ".join(f"{task} {points(one)}" for task, one in found.items())
    return (
        name,
        words,
        _verdict(is_met=above >= SIGNIFICANT_TASKS, is_final=above >= SIGNIFICANT_TASKS or len(found) == len(tasks)),
    )


def _labels(record: GridRecord) -> Row:
    name = f"mip needs {TIMES:.0f} times the labels or more to match glam-o on stack-two"
    found = curves(record)
    ours = [one for _, one in sorted(found[MORE_UNLABELLED].items()) if one.is_run]
    theirs = {total: one for total, one in sorted(found[MIP].items()) if one.is_run}
    if not ours or len(theirs) < len(found[MIP]):
        return _open(name)
    fewest = ours[-1].cells[0].amounts[0]
    enough = [total for total, one in theirs.items() if one.rate.estimate >= ours[-1].rate.estimate]
    words = f"{enough[0] / fewest:.1f} times" if enough else f"more than {max(theirs) / fewest:.1f} times"
    return name, words, _verdict(is_met=not enough or enough[0] / fewest >= TIMES)


def _third_source(record: GridRecord) -> Row:
    name = "a third source hurts no task"
    found = {
        task: comparison(task, three, two).difference
        for task, (two, three) in pairs(record).items()
        if two.is_run and three.is_run
    }
    if not found:
        return _open(name)
    words = ", ".join(f"{task} {points(one)}" for task, one in found.items())
    is_hurt = any(one.high < 0 for one in found.values())
    return name, words, _verdict(is_met=not is_hurt, is_final=is_hurt or len(found) == len(paper.THREE_SOURCES))


def _of_policies(record: GridRecord) -> Iterator[Row]:
    """Few labels and many demonstrations without, between few labels alone and all of them labelled."""
    mip, ours, bound = (of_method(record, "stack-two", name) for name in ("mip", "glam-o", "upper-bound"))
    name = f"mip with 500 labelled demonstrations of stack-two succeeds in {CEILING:.0f} % or more"
    yield (name, bound.percent, _verdict(is_met=100 * bound.rate.estimate >= CEILING)) if bound.is_run else _open(name)
    name = f"glam-o is {ABOVE:.0f} points or more above mip with 100"
    if ours.is_run and mip.is_run:
        gap = comparison("stack-two", ours, mip).difference
        yield name, points(gap), _verdict(is_met=gap.low > 0 and 100 * gap.estimate >= ABOVE)
    else:
        yield _open(name)
    name = f"and at most {BELOW:.0f} points below mip with 500"
    if ours.is_run and bound.is_run:
        gap = comparison("stack-two", ours, bound).difference
        yield name, points(gap), _verdict(is_met=100 * gap.estimate >= -BELOW)
    else:
        yield _open(name)


def _open(name: str) -> Row:
    return name, NOT_RUN, "-"


def _hours(record: GridRecord) -> Row:
    name = f"the main grid with one training of each cell takes {HOURS:.0f} hours of two cores or less"
    cells = [cell for cell in record.cells if cell.seed == 0]
    done = sum(bool(cell.seconds) for cell in cells)
    if not done:
        return _open(name)
    spent = hours(record, 0) / 2
    words = f"{spent:.1f} hours for {done} of {len(cells)} cells"
    return name, words, _verdict(is_met=spent <= HOURS, is_final=done == len(cells) or spent > HOURS)


def _verdict(*, is_met: bool, is_final: bool = True) -> str:
    if not is_final:
        return "not all run"
    return "met" if is_met else "missed"
