"""The charts that several sections share."""

from collections.abc import Mapping, Sequence

from glam.evaluation.comparison import SuccessComparison
from glam.reports import bars
from glam.reports.charts import PALETTE
from glam.reports.markup import Html
from results.paper import METHODS
from results.trials import Trials

_GREY = len(PALETTE) - 1
_ORDER = ("glam-o", *(name for name in METHODS if name != "glam-o"))


def style(method: str) -> int:
    """Number of a method's colour, the same in all charts; whatever is not the paper's is grey."""
    return min(_ORDER.index(method), _GREY) if method in _ORDER else _GREY


def success_chart(title: str, methods: Sequence[Trials], printed: Mapping[str, float] | None = None) -> Html:
    """Bars with Wilson intervals, and the numbers of the paper by method."""
    known = printed or {}
    rows = [
        bars.success_row(
            one.name, one.rate, one.rates, style(one.name), (known[one.name],) if one.name in known else ()
        )
        for one in methods
    ]
    return bars.success_chart(title, rows)


def difference_chart(title: str, comparisons: Sequence[SuccessComparison]) -> Html:
    """Newcombe intervals."""
    return bars.difference_chart(title, comparisons, style)


def failure_chart(title: str, methods: Sequence[Trials]) -> Html:
    """Where episodes end."""
    return bars.failure_chart(title, [(one.name, {"none": one.successes, **one.failed_stages}) for one in methods])
