"""Success on stack-two where labelled demonstrations are few."""

from collections.abc import Callable, Iterator, Mapping

from glam.reports.charts import Axis, line_chart
from glam.reports.results.document import NOT_RUN, Block, Figures, Section, Table, Words
from glam.reports.results.record import Cell, Record, Records
from glam.reports.results.scaling import Curve, line
from glam.reports.results.trials import comparison, trials
from glam.reports.success import PERCENT, points

GRID = "few-labels"
METHODS = ("mip", "glam-o", "retarget")
_WORDS = (
    "The same tests with fewer labelled demonstrations, and 400 unlabelled ones for the methods that learn from them. "
    "Every point of glam-o has a world model of its own, which saw no other labels than its policy."
)


def curves(record: Record) -> dict[str, Curve]:
    """Trials of each method by the number of labelled demonstrations."""
    counts = sorted({cell.amounts[0] for cell in record.cells})
    return {method: {count: trials(record, method, _point(method, count)) for count in counts} for method in METHODS}


def few_labels(records: Records) -> Section:
    """The section."""
    return Section("How few labels are enough", tuple(_blocks(records.grid(GRID))))


def _point(method: str, count: int) -> Callable[[Cell], bool]:
    return lambda cell: cell.method == method and cell.amounts[0] == count


def _blocks(record: Record) -> Iterator[Block]:
    if not record.cells:
        yield Words(f"Not run yet: glam bench {GRID}.")
        return
    yield Words(_WORDS)
    found = curves(record)
    lines = [line(method, curve, style) for style, (method, curve) in zip((1, 0, 2), found.items(), strict=True)]
    shown = [one for one in lines if len(one.x)]
    if shown:
        drawn = line_chart("Success over labels", shown, Axis("labelled demonstrations"), PERCENT)
        yield Figures((drawn,), note="Whiskers are 95 % Wilson intervals.")
    rows = tuple(_row(found, count) for count in found[METHODS[0]])
    yield Table(("labelled", *METHODS, "glam-o - mip"), rows)


def _row(found: Mapping[str, Curve], count: int) -> tuple[str, ...]:
    ours, theirs = found["glam-o"][count], found["mip"][count]
    rates = [curve[count].percent if curve[count].is_run else NOT_RUN for curve in found.values()]
    gap = points(comparison(str(count), ours, theirs).difference) if ours.is_run and theirs.is_run else "-"
    return (str(count), *rates, gap)
