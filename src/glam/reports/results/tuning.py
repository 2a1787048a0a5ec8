"""What moves the success of a policy: the recipe with one thing changed, on configurations that no test uses."""

from collections.abc import Iterator

from glam.reports.results.document import Block, Section, Table, Words
from glam.reports.results.record import Record, Records
from glam.reports.results.trials import Trials, comparison, of_method, points, verdict

GRID = "tuning"
METHODS = ("glam-o", "mip")
_COLUMNS = (
    "what is changed", "trainings", "successes", "rate, 95 % interval", "against the recipe", "verdict", "failures",
)  # fmt: skip
_WORDS = (
    "Stack-two, on validation configurations: the tests have others. Each line is compared with the recipe "
    "over the trainings that both have; a choice counts only with two of them."
)


def tuning(records: Records) -> Section:
    """The section."""
    return Section("What moves a policy", tuple(_blocks(records.grid(GRID))))


def _blocks(record: Record) -> Iterator[Block]:
    tables = [table for method in METHODS for table in _tables(record, method)]
    yield from tables
    yield Words(_WORDS if tables else f"Not run yet: glam bench {GRID}.")


def _tables(record: Record, method: str) -> Iterator[Table]:
    """One, or none when nothing was run."""
    details = dict.fromkeys(cell.detail for cell in record.cells if cell.method == method)
    found = {detail: of_method(record, "stack-two", method, detail) for detail in details}
    run = {detail: trials for detail, trials in found.items() if trials.is_run}
    if run:
        recipe = found[next(iter(details))]
        yield Table(_COLUMNS, tuple(_row(detail, trials, recipe) for detail, trials in run.items()), method)


def _row(detail: str, changed: Trials, recipe: Trials) -> tuple[str, ...]:
    seeds = changed.trainings.keys() & recipe.trainings.keys()
    if changed is recipe or not seeds:
        gap, said = "", ""
    else:
        gap, said = points(comparison("stack-two", changed, recipe).difference), verdict(changed, recipe)
    counts = f"{changed.successes} of {changed.episodes}"
    return detail, str(len(changed.trainings)), counts, changed.percent, gap, said, changed.failures
