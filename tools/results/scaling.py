"""The data-gap figure: success over the number of demonstrations on stack-two."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from glam.reports.bars import PERCENT, scaled
from glam.reports.charts import ChartAxis, Estimates, line_chart
from glam.reports.markup import Html
from results import paper
from results.document import NOT_RUN, Block, Figures, Section, Table, Words
from results.images import svg_image
from results.record import GridRecord, RecordedCell, Records
from results.trials import Trials, trials

GRID = "scaling"
MIP, MORE_UNLABELLED, MORE_LABELLED = "mip, labelled", "glam-o, 100 labelled + unlabelled", "glam-o, labelled"
_FEWEST = 100
_CURVES: dict[str, Callable[[RecordedCell], bool]] = {
    MIP: lambda cell: cell.method == "mip",
    MORE_UNLABELLED: lambda cell: cell.method == "glam-o" and cell.amounts[0] == _FEWEST,
    MORE_LABELLED: lambda cell: cell.method == "glam-o" and len(cell.amounts) == 1,
}
_TOTAL = ChartAxis("demonstrations for training")
_NOTE = "Whiskers are 95 % intervals. Both curves of glam-o use the latent actions of one world model."
_PAPER = (
    f"The paper: on stack-two, behaviour cloning on labelled demonstrations alone needs {paper.LABELS_OF_MIP} times as "
    "many labels to match glam-o with 100 labelled and 400 unlabelled ones."
)

Curve = Mapping[int, Trials]
"""By the number of demonstrations in all."""


def curves(record: GridRecord) -> dict[str, Curve]:
    """The three curves; a point that was not run is there without trials."""
    evaluations = [cell for cell in record.cells if cell.kind == "evaluation"]
    found: dict[str, Curve] = {}
    for name, belongs in _CURVES.items():
        totals = sorted({sum(cell.amounts) for cell in evaluations if belongs(cell)})
        found[name] = {total: trials(record, name, _point(belongs, total)) for total in totals}
    return found


def _point(belongs: Callable[[RecordedCell], bool], total: int) -> Callable[[RecordedCell], bool]:
    return lambda cell: belongs(cell) and sum(cell.amounts) == total


def scaling(records: Records) -> Section:
    """The section."""
    return Section("Success over the number of demonstrations", tuple(_blocks(records.grid(GRID))))


def _blocks(record: GridRecord) -> Iterator[Block]:
    if not record.cells:
        yield Words(f"Not run yet: glam bench {GRID}.")
        return
    found = curves(record)
    yield Words(_PAPER, is_headline=True)
    yield Words(f"Here: {labels_needed(found)}", is_headline=True)
    charts = tuple(_charts(found))
    if charts:
        words = "Success on stack-two over the number of demonstrations, with intervals"
        yield Figures(charts, note=_NOTE, images=(svg_image(GRID, words, charts),))
    totals = sorted({total for curve in found.values() for total in curve})
    rows = tuple((str(total), *(_entry(curve, total) for curve in found.values())) for total in totals)
    yield Table(("demonstrations", *found), rows, "Success by demonstrations")


def labels_needed(found: Mapping[str, Curve]) -> str:
    """The number of labels with which mip matches glam-o, in words."""
    ours = [one for total, one in sorted(found[MORE_UNLABELLED].items()) if one.is_run]
    theirs = {total: one for total, one in sorted(found[MIP].items()) if one.is_run}
    if not ours or not theirs:
        return "too few runs yet to say how many labels mip needs to match glam-o."
    goal = ours[-1]
    said = f"glam-o with {' + '.join(map(str, goal.cells[0].amounts))} demonstrations ({goal.percent})"
    enough = [total for total, one in theirs.items() if one.rate.estimate >= goal.rate.estimate]
    if not enough:
        return f"mip does not reach {said} with up to {max(theirs)} labelled demonstrations."
    times, skipped = (
        enough[0] / _FEWEST,
        [str(total) for total in found[MIP] if total < enough[0] and total not in theirs],
    )
    gap = f" ({', '.join(skipped)}: not run)" if skipped else ""
    return f"mip reaches {said} with {enough[0]} labelled demonstrations, {times:.1f} times as many labels{gap}."


def _charts(found: Mapping[str, Curve]) -> Iterator[Html]:
    mip, more = line(MIP, found[MIP], 1), line(MORE_UNLABELLED, found[MORE_UNLABELLED], 0)
    if len(mip.x) and len(more.x):
        reached = {total: found[MORE_UNLABELLED][int(more.x[-1])] for total in found[MIP]}
        flat = line("glam-o, 100 labelled + all unlabelled", reached, 0)
        yield line_chart("(a) mip over labelled demonstrations", [flat, mip], ChartAxis("labelled"), PERCENT)
    every = [line(name, curve, style) for style, (name, curve) in zip((1, 0, 2), found.items(), strict=True)]
    shown = [one for one in every if len(one.x)]
    if shown:
        yield line_chart("(b) Labelled or unlabelled", shown, _TOTAL, PERCENT)


def line(name: str, curve: Curve, style: int) -> Estimates:
    """The points of a curve that were run."""
    run = {total: scaled(one.rate) for total, one in curve.items() if one.is_run}
    numbers = np.array([(one.estimate, one.low, one.high) for one in run.values()]).reshape(-1, 3).T
    return Estimates(name, np.array(list(run), float), numbers[0], style, numbers[1], numbers[2])


def _entry(curve: Curve, total: int) -> str:
    if total not in curve:
        return "-"
    return curve[total].percent if curve[total].is_run else NOT_RUN
