"""What moves the success of a policy: the recipe with one thing changed, on configurations that no test uses."""

from collections.abc import Iterator
from statistics import mean

from glam.reports.results.document import Block, Section, Table, Words
from glam.reports.results.record import Record, Records
from glam.reports.results.trials import EVALUATION, Trials, comparison, of_method, verdict
from glam.reports.success import points

GRID = "tuning"
METHODS = ("glam-o", "mip")
TASKS = ("stack-two", "lift", "pick-place", "stack-three")
_COLUMNS = (
    "what is changed", "trainings", "successes", "rate, 95 % interval", "against the recipe", "verdict", "failures",
    "eyes off by (px)",
)  # fmt: skip
_WORDS = (
    "On validation configurations: the tests have others. Each line is compared with the recipe over the trainings "
    "that both have. Lift stands for the tasks of kinova-lab, whose cameras stand a little differently in every "
    "episode; policies for it shift their images while training. More was tried for glam-o than for mip: what "
    "glam-o was given (horizon, memory, noise, weight of the lesson) mip has too, untuned but for that weight and "
    "these horizons. How far off the eyes find the objects, root mean square, is measured on episodes of the robot "
    "that were not learnt from."
)


def tuning(records: Records) -> Section:
    """The section."""
    return Section("What moves a policy", tuple(_blocks(records.grid(GRID))))


def _blocks(record: Record) -> Iterator[Block]:
    tables = [table for task in TASKS for method in METHODS for table in _tables(record, task, method)]
    yield from tables
    yield Words(_WORDS if tables else f"Not run yet: glam bench {GRID}.")


def _tables(record: Record, task: str, method: str) -> Iterator[Table]:
    """One, or none when nothing was run."""
    details = dict.fromkeys(cell.detail for cell in record.cells if (cell.task, cell.method) == (task, method))
    found = {detail: of_method(record, task, method, detail) for detail in details}
    run = {detail: trials for detail, trials in found.items() if trials.is_run}
    if run:
        recipe = found[next(iter(details))]
        rows = [(*_row(detail, trials, recipe), _eyes(record, trials)) for detail, trials in run.items()]
        yield Table(_COLUMNS, tuple(rows), f"{method}, {task}")


def _eyes(record: Record, trials: Trials) -> str:
    """Mean over trainings; policies of before do not tell."""
    runs = [run for cell, run in record.done(EVALUATION) if cell in trials.cells]
    policies = [policy.result for run in runs for policy in record.needed(run, "policy")]
    found = [result["held_out"]["keypoint_error"] for result in policies if "held_out" in result]
    return f"{mean(found):.2f}" if found else "-"


def _row(detail: str, changed: Trials, recipe: Trials) -> tuple[str, ...]:
    seeds = changed.trainings.keys() & recipe.trainings.keys()
    if changed is recipe or not seeds:
        gap, said = "", ""
    else:
        gap, said = points(comparison("", changed, recipe).difference), verdict(changed, recipe)
    counts = f"{changed.successes} of {changed.episodes}"
    return detail, str(len(changed.trainings)), counts, changed.percent, gap, said, changed.failures
