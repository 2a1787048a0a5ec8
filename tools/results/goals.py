"""Our acceptance goals, whether they are met, and why those that are missed are missed: a page of its own."""

from collections.abc import Callable, Iterator, Mapping
from statistics import median

from glam.evaluation.statistics import Interval
from glam.reports.bars import points
from results import paper
from results.costs import LEARNING
from results.document import NOT_RUN, Section, Table, Words
from results.main_results import GRID, Methods, by_task, leads
from results.record import GridRecord, Records
from results.scaling import MIP, MORE_UNLABELLED, curves
from results.sources import THIRD, pairs
from results.speed import GOALS, met
from results.trials import Trials, best, comparison

LEADING_TASKS, LEADING_TASKS_OF_GLAM = 4, 3
"""Tasks on which the lead over the best baseline should be above zero: of glam-o and, by its estimate, of glam."""
AVERAGE_LEAD, BELOW_BOUND = 20.0, 3.0
"""Points."""
TIMES = 3.0
"""As many labels as glam-o, which mip should need at least to match it."""
MINUTES, MINUTES_OF_STACK_THREE = 10.0, 20.0
"""Of one core, for a cell of the main grid without its demonstrations."""
_WORDS = (
    "All goals were fixed before the tables were run. Intervals are those over trainings where there are several "
    "trainings. A goal that no record can judge yet has no verdict."
)

Row = tuple[str, str, str]
"""Goal, what came out, verdict."""


def goals(records: Records) -> Section:
    """The section."""
    main = records.grid(GRID)
    every = by_task(main)
    rows = [_best_everywhere(every), _leading(every), _leading_of_glam(every), _average(every)]
    rows += [_against(every, "upper-bound", -BELOW_BOUND), _labels(records.grid("scaling")), _against_retarget(every)]
    rows += [_third_source(records.grid(THIRD)), *_minutes(main), *_speed(records)]
    return Section("Goals", (Words(_WORDS), Table(("goal", "found", "verdict"), tuple(rows), is_open=True)))


def explanations(records: Records) -> Iterator[Section]:
    """What was written by hand about the results of each grid: why a goal was missed, and what was tried."""
    for name, record in records.grids.items():
        if record.notes:
            yield Section(f"Notes on {name}", tuple(map(Words, record.notes)))


def _best_everywhere(every: Mapping[str, Methods]) -> Row:
    name = "glam-o is the best of the paper's methods on every task"
    winners = {}
    for task, methods in every.items():
        run = [methods[method] for method in paper.METHODS if methods[method].is_run]
        if len(run) > 1 and methods["glam-o"].is_run:
            winners[task] = best(sorted(run, key=lambda one: one.name != "glam-o")).name  # a tie is no defeat
    if not winners:
        return _open(name)
    found = ", ".join(f"{task}: {winner}" for task, winner in winners.items())
    is_met, is_whole = set(winners.values()) == {"glam-o"}, _is_whole(every, paper.METHODS)
    return name, found, _verdict(is_met=is_met, is_final=is_whole or not is_met)


def _leading(every: Mapping[str, Methods]) -> Row:
    name = f"the interval of its lead over the best baseline is above zero on {LEADING_TASKS} tasks or more"
    return _counted(name, every, leads(every), LEADING_TASKS, lambda lead: lead.low)


def _leading_of_glam(every: Mapping[str, Methods]) -> Row:
    name = f"glam, from RGB images, is above every baseline on {LEADING_TASKS_OF_GLAM} tasks or more"
    return _counted(name, every, leads(every, "glam"), LEADING_TASKS_OF_GLAM, lambda lead: lead.estimate)


def _average(every: Mapping[str, Methods]) -> Row:
    name = f"the average lead of glam-o over the best baseline is {AVERAGE_LEAD:.0f} points or more"
    found = leads(every)
    if not found:
        return _open(name)
    average = 100 * sum(lead.estimate for lead in found.values()) / len(found)
    is_final = _is_whole(every, ("glam-o", *paper.BASELINES))
    return name, f"{average:+.1f} on {len(found)} tasks", _verdict(is_met=average >= AVERAGE_LEAD, is_final=is_final)


def _against_retarget(every: Mapping[str, Methods]) -> Row:
    """Noise decides between two equal methods, so only an interval below zero counts."""
    name = "glam-o is significantly below retarget on no task"
    found = _gaps(every, "retarget")
    if not found:
        return _open(name)
    is_below = any(gap.high < 0 for gap in found.values())
    return name, _told(found), _verdict(is_met=not is_below, is_final=is_below or len(found) == len(every))


def _against(every: Mapping[str, Methods], other: str, least: float) -> Row:
    name = f"glam-o is at most {-least:.0f} points below the {other} on every task"
    found = _gaps(every, other)
    if not found:
        return _open(name)
    is_met = all(100 * gap.estimate >= least for gap in found.values())
    return name, _told(found), _verdict(is_met=is_met, is_final=not is_met or len(found) == len(every))


def _gaps(every: Mapping[str, Methods], other: str) -> dict[str, Interval]:
    return {
        task: comparison(task, methods["glam-o"], methods[other]).difference
        for task, methods in every.items()
        if methods["glam-o"].is_run and methods[other].is_run
    }


def _counted(
    name: str,
    every: Mapping[str, Methods],
    found: Mapping[str, Interval],
    least: int,
    value: Callable[[Interval], float],
) -> Row:
    if not found:
        return _open(name)
    above = sum(value(lead) > 0 for lead in found.values())
    is_final = above >= least or _is_whole(every, paper.METHODS)
    return name, f"{above}: {_told(found)}", _verdict(is_met=above >= least, is_final=is_final)


def _is_whole(every: Mapping[str, Methods], names: tuple[str, ...]) -> bool:
    """Whether no training of these methods is missing."""
    return all(_is_all_run(methods[name]) for methods in every.values() for name in names)


def _is_all_run(one: Trials) -> bool:
    return one.is_run and len(one.trainings) == one.planned


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
    is_hurt = any(one.high < 0 for one in found.values())
    return name, _told(found), _verdict(is_met=not is_hurt, is_final=is_hurt or len(found) == len(paper.THREE_SOURCES))


def _minutes(record: GridRecord) -> Iterator[Row]:
    groups = {"the tasks with one arm": (MINUTES, False), "stack-three": (MINUTES_OF_STACK_THREE, True)}
    for group, (most, is_stack_three) in groups.items():
        name = f"a cell of {group} takes {most:.0f} minutes of one core or less, demonstrations not counted"
        cells = [cell for cell in record.cells if cell.seconds and (cell.task == "stack-three") == is_stack_three]
        spent = [sum(cell.seconds.get(kind, 0.0) for kind in LEARNING) / 60 for cell in cells]
        if spent:
            words = f"median {median(spent):.1f}, at most {max(spent):.1f} of {len(spent)} cells"
            yield name, words, _verdict(is_met=median(spent) <= most)
        else:
            yield _open(name)


def _speed(records: Records) -> Iterator[Row]:
    """The ratios of `make speed`."""
    found = {str(entry["name"]): entry for entry in records.speed.get("ratios", ())}
    for name, goal in GOALS.items():
        if name in found and found[name].get("value") is not None:
            value = float(found[name]["value"])
            yield f"{name}: {goal.words}", goal.shown(value), _verdict(is_met=met(goal, value))
        else:
            yield _open(f"{name}: {goal.words}")


def _told(found: Mapping[str, Interval]) -> str:
    return ", ".join(f"{task} {points(one)}" for task, one in found.items())


def _open(name: str) -> Row:
    return name, NOT_RUN, "-"


def _verdict(*, is_met: bool, is_final: bool = True) -> str:
    if not is_final:
        return "not all run"
    return "met" if is_met else "missed"
