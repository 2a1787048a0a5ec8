"""The regimes: every method where the data are as they are in practice, a chart for each of them."""

from collections.abc import Iterator, Mapping

from results.document import NOT_RUN, Block, Figures, Section, Table, Words
from results.figures import success_chart
from results.images import svg_image
from results.main_results import learnt_from
from results.record import GridRecord, Records
from results.trials import EVALUATION, Trials, comparison, of_method, verdict

GRID = "regimes"
RIVAL = "retarget"
_COLUMNS = ("task", "regime", "method", "trained on", "trainings", "rate, 95 % interval", "glam-o compared with it")
_PAPER = (
    "The paper: no such figure. We ask where latent actions are worth more than inverse kinematics (retarget), by "
    "making the data harder in one way at a time."
)

Regime = tuple[str, str]
"""Task and detail of the cells."""


def regimes(records: Records) -> Section:
    """The section."""
    return Section("Regimes", tuple(_blocks(records.grid(GRID))))


def of_regimes(record: GridRecord) -> dict[Regime, dict[str, Trials]]:
    """Trials of each method in each regime, in the order of the grid."""
    found: dict[Regime, dict[str, Trials]] = {}
    for cell in record.cells:
        if cell.kind == EVALUATION:
            methods = found.setdefault((cell.task, cell.detail), {})
            methods.setdefault(cell.method, of_method(record, cell.task, cell.method, cell.detail))
    return found


def _blocks(record: GridRecord) -> Iterator[Block]:
    if not record.cells:
        yield Words(f"Not run yet: glam bench {GRID}.")
        return
    found = of_regimes(record)
    yield Words(_PAPER, is_headline=True)
    yield Words(f"Here: {_found(found)}", is_headline=True)
    charts = tuple(
        success_chart(_title(regime), run)
        for regime, methods in found.items()
        for run in [[one for one in methods.values() if one.is_run]]
        if run
    )
    if charts:
        words = "Success of each method in each regime, with intervals"
        yield Figures(charts, images=(svg_image(GRID, words, charts, 3),))
    rows = tuple(_row(regime, one, methods) for regime, methods in found.items() for one in methods.values())
    yield Table(_COLUMNS, rows, "Methods in each regime")


def _title(regime: Regime) -> str:
    task, detail = regime
    return f"{task}: {detail}" if detail else task


def _found(found: Mapping[Regime, Mapping[str, Trials]]) -> str:
    compared = {
        _title(regime): comparison("", methods["glam-o"], methods[RIVAL]).difference
        for regime, methods in found.items()
        if all(name in methods and methods[name].is_run for name in ("glam-o", RIVAL))
    }
    if not compared:
        return "too little has been run to compare."
    above = [name for name, one in compared.items() if one.low > 0]
    below = [name for name, one in compared.items() if one.high < 0]
    return (
        f"glam-o is significantly better than {RIVAL} in {len(above)} of {len(compared)} regimes "
        f"({', '.join(above) or 'none'}), and significantly worse in {len(below)} ({', '.join(below) or 'none'})."
    )


def _row(regime: Regime, one: Trials, methods: Mapping[str, Trials]) -> tuple[str, ...]:
    ours = methods.get("glam-o")
    against = verdict(ours, one) if ours and ours is not one and ours.is_run and one.is_run else "-"
    rate = one.percent if one.is_run else NOT_RUN
    return (*regime, one.name, learnt_from(one), f"{len(one.trainings)} of {one.planned}", rate, against)
