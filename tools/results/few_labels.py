"""Success on stack-two where labelled demonstrations are few."""

from collections.abc import Callable, Iterator, Mapping

from glam.reports.bars import PERCENT, points
from glam.reports.charts import ChartAxis, line_chart
from results.document import NOT_RUN, Block, Figures, Section, Table, Words
from results.images import svg_image
from results.record import GridRecord, RecordedCell, Records
from results.scaling import Curve, line
from results.trials import comparison, trials

GRID = "few-labels"
METHODS = ("mip", "glam-o", "retarget")
_PAPER = "The paper: no such figure. We ask what unlabelled demonstrations are worth where labels are few."
_WORDS = (
    "The same tests with fewer labelled demonstrations, and 400 unlabelled ones for the methods that use them. Every "
    "point of glam-o has its own world model, which saw the same labels as its policy."
)


def curves(record: GridRecord) -> dict[str, Curve]:
    """Trials of each method by the number of labelled demonstrations."""
    counts = sorted({cell.amounts[0] for cell in record.cells})
    return {method: {count: trials(record, method, _point(method, count)) for count in counts} for method in METHODS}


def few_labels(records: Records) -> Section:
    """The section."""
    return Section("Success with few labels", tuple(_blocks(records.grid(GRID))))


def _point(method: str, count: int) -> Callable[[RecordedCell], bool]:
    return lambda cell: cell.method == method and cell.amounts[0] == count


def _blocks(record: GridRecord) -> Iterator[Block]:
    if not record.cells:
        yield Words(f"Not run yet: glam bench {GRID}.")
        return
    found = curves(record)
    yield Words(_PAPER, is_headline=True)
    yield Words(_found(found), is_headline=True)
    lines = [line(method, curve, style) for style, (method, curve) in zip((1, 0, 2), found.items(), strict=True)]
    shown = [one for one in lines if len(one.x)]
    if shown:
        drawn = line_chart("Success over labels", shown, ChartAxis("labelled demonstrations"), PERCENT)
        words = "Success on stack-two over the number of labelled demonstrations, with intervals"
        yield Figures((drawn,), note="Whiskers are 95 % intervals.", images=(svg_image("few_labels", words, [drawn]),))
    yield Words(_WORDS)
    rows = tuple(_row(found, count) for count in found[METHODS[0]])
    yield Table(("labelled", *METHODS, "glam-o - mip"), rows, "Success by labelled demonstrations")


def _found(found: Mapping[str, Curve]) -> str:
    gaps = [
        f"{100 * (ours.rate.estimate - found['mip'][count].rate.estimate):+.1f} points over mip with {count}"
        for count, ours in found["glam-o"].items()
        if ours.is_run and found["mip"][count].is_run
    ]
    return f"Here: glam-o {', '.join(gaps)} labelled demonstrations." if gaps else "Here: not run yet."


def _row(found: Mapping[str, Curve], count: int) -> tuple[str, ...]:
    ours, theirs = found["glam-o"][count], found["mip"][count]
    rates = [curve[count].percent if curve[count].is_run else NOT_RUN for curve in found.values()]
    gap = points(comparison(str(count), ours, theirs).difference) if ours.is_run and theirs.is_run else "-"
    return (str(count), *rates, gap)
