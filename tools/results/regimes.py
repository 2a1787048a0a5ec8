"""The regimes: every method where the data are as they are in practice, with the replays of the world models."""

from collections.abc import Iterator, Mapping

from results.document import NOT_RUN, Block, Figures, Section, Table, Words
from results.figures import success_chart
from results.images import svg_image
from results.main_results import learnt_from
from results.record import GridRecord, Records
from results.sources import REPLAY_COLUMNS, replays
from results.trials import EVALUATION, Trials, comparison, of_method, verdict

GRID = "regimes"
RIVALS = ("retarget", "mip")
REPLAY = "replay"
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
    yield Words(f"Here: {' '.join(_found(found, rival) for rival in RIVALS)}", is_headline=True)
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
    yield from _replays(record)


def _replays(record: GridRecord) -> Iterator[Block]:
    """Replays say whether labels carry over to the robot; an error on the target's own episodes does not."""
    details = dict.fromkeys((cell.task, cell.method, cell.detail) for cell in record.cells if cell.kind == REPLAY)
    rows = tuple(
        (task, regime, method, source, *replays(record, task, method, detail))
        for task, method, detail in details
        for regime, _, source in [detail.rpartition(": ")]
    )
    if rows:
        columns = ("task", "regime", "world model", *REPLAY_COLUMNS)
        yield Table(columns, rows, "Replays in each regime")


def _title(regime: Regime) -> str:
    task, detail = regime
    return f"{task}: {detail}" if detail else task


def _found(found: Mapping[Regime, Mapping[str, Trials]], rival: str) -> str:
    compared = {
        _title(regime): comparison("", ours, methods[rival]).difference
        for regime, methods in found.items()
        for ours in [_ours(methods)]
        if ours and rival in methods and ours.is_run and methods[rival].is_run
    }
    if not compared:
        return f"Too little has been run to compare with {rival}."
    above = [name for name, one in compared.items() if one.low > 0]
    below = [name for name, one in compared.items() if one.high < 0]
    return (
        f"glam-o is significantly better than {rival} in {len(above)} of {len(compared)} regimes "
        f"({', '.join(above) or 'none'}), and significantly worse in {len(below)} ({', '.join(below) or 'none'})."
    )


def _ours(methods: Mapping[str, Trials]) -> Trials | None:
    """Our method with masks; where there is nothing to know of a hand, the one that needs nothing."""
    return next((one for name, one in methods.items() if name.startswith("glam-o")), None)


def _row(regime: Regime, one: Trials, methods: Mapping[str, Trials]) -> tuple[str, ...]:
    ours = _ours(methods)
    against = verdict(ours, one) if ours and ours is not one and ours.is_run and one.is_run else "-"
    rate = one.percent if one.is_run else NOT_RUN
    return (*regime, one.name, learnt_from(one), f"{len(one.trainings)} of {one.planned}", rate, against)
