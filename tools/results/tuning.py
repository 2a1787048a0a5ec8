"""Settings of a policy: the recipe with one setting changed, on validation configurations that no test uses."""

from collections.abc import Iterator
from statistics import mean

from glam.reports.success import points
from results.document import Block, Section, Table, Words
from results.record import GridRecord, Records
from results.trials import EVALUATION, Trials, comparison, of_method, verdict

GRID = "tuning"
METHODS = ("glam-o", "mip")
TASKS = ("stack-two", "lift", "pick-place", "stack-three")
_COLUMNS = (
    "change", "trainings", "successes", "rate, 95 % interval", "difference to the recipe", "verdict", "failures",
    "keypoint error (px)",
)  # fmt: skip
_WORDS = (
    "These are validation configurations; the tests use others. Each row is compared with the recipe over the "
    "trainings that both have. Lift represents the tasks of kinova-lab, whose camera poses vary between episodes; "
    "policies for it are trained with random image shifts. We tuned glam-o more than mip. All settings chosen for "
    "glam-o (action chunking, temporal ensembling, proprio noise, weight of the keypoint loss) are used for mip as "
    "well; of these, only that weight and action chunking were tuned for mip. The keypoint error is the root mean "
    "square on held-out episodes."
)


def tuning(records: Records) -> Section:
    """The section."""
    return Section("Settings of a policy", tuple(_blocks(records.grid(GRID))))


def _blocks(record: GridRecord) -> Iterator[Block]:
    tables = [table for task in TASKS for method in METHODS for table in _tables(record, task, method)]
    yield from tables
    yield Words(_WORDS if tables else f"Not run yet: glam bench {GRID}.")


def _tables(record: GridRecord, task: str, method: str) -> Iterator[Table]:
    """One, or none when nothing was run."""
    details = dict.fromkeys(cell.detail for cell in record.cells if (cell.task, cell.method) == (task, method))
    found = {detail: of_method(record, task, method, detail) for detail in details}
    run = {detail: trials for detail, trials in found.items() if trials.is_run}
    if run:
        recipe = found[next(iter(details))]
        rows = [(*_row(detail, trials, recipe), _keypoint_error(record, trials)) for detail, trials in run.items()]
        yield Table(_COLUMNS, tuple(rows), f"{method}, {task}")


def _keypoint_error(record: GridRecord, trials: Trials) -> str:
    """Mean over trainings; some policies have no record of it."""
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
