"""Stage 2 on one task: every method, with intervals and failures."""

from collections.abc import Iterator, Mapping

from glam.reports.bars import points
from results.document import Block, Figures, Section, Table, Words
from results.figures import difference_chart, failure_chart, success_chart
from results.main_results import row
from results.record import GridRecord, Records
from results.trials import Trials, best, comparison, of_method, verdict

GRID = "policies"
_COLUMNS = (
    "method", "trained on", "trainings", "successes", "rate, 95 % interval", "Wilson, these trainings alone",
    "across trainings", "failures",
)  # fmt: skip


def policies(records: Records) -> Section:
    """The section."""
    return Section("Policies for stack-two", tuple(_blocks(records.grid(GRID))))


def _blocks(record: GridRecord) -> Iterator[Block]:
    if not record.cells:
        yield Words(f"Not run yet: glam bench {GRID}.")
        return
    names = dict.fromkeys((cell.task, cell.method, cell.detail) for cell in record.cells if cell.kind == "evaluation")
    task = next(iter(names))[0]
    found = [of_method(record, *key) for key in names]
    run = [one for one in found if one.is_run]
    if run:
        first = best(run)
        charts = [success_chart("Success with 95 % intervals", run)]
        if len(run) > 1:
            others = [comparison(task, first, one) for one in run if one is not first]
            charts.append(difference_chart(f"By how much {first.name} is better", others))
        yield Figures((*charts, failure_chart("Where episodes end", run)))
    yield Table(_COLUMNS, tuple(row(one, "")[:-1] for one in found), "Methods on stack-two")
    yield from _differences(task, {one.name: one for one in run})


def _differences(task: str, run: Mapping[str, Trials]) -> Iterator[Table]:
    """The paper's method against every other."""
    ours = run.get("glam-o")
    others = [one for one in run.values() if one is not ours]
    if ours and others:
        rows = tuple((one.name, points(comparison(task, ours, one).difference), verdict(ours, one)) for one in others)
        columns = ("glam-o compared with", "difference in points, 95 % interval", "verdict")
        yield Table(columns, rows, "Differences on stack-two")
