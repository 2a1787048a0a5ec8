"""The page of results, and the same as Markdown."""

from collections.abc import Iterator
from pathlib import Path

from glam.core.files import write_bytes
from glam.reports.results.ablation import ablation
from glam.reports.results.costs import costs
from glam.reports.results.document import Section, html, markdown
from glam.reports.results.few_labels import few_labels
from glam.reports.results.films import NO_FILMS, Filmed
from glam.reports.results.goals import goals
from glam.reports.results.main_results import main_results
from glam.reports.results.policies import policies
from glam.reports.results.record import Records
from glam.reports.results.scaling import scaling
from glam.reports.results.smoothness import smoothness
from glam.reports.results.sources import third_source, transfer
from glam.reports.results.speed import speed
from glam.reports.results.tuning import tuning
from glam.reports.results.world_models import world_models

TITLE = "Results"
LEAD = (
    "The paper's figures and tables from our own runs at scale cpu, beside the numbers that the paper prints. Every "
    "task is simulated; kinova-lab stands in for the paper's real robot."
)
_COMMAND = "glam report docs/results --out results.html --markdown docs/results.md"
_MADE = f"Written by `{_COMMAND}` from the records in [results](results/); edit those, not this."


def sections(records: Records, filmed: Filmed = NO_FILMS) -> Iterator[Section]:
    """All of it, in the order of the paper."""
    yield goals(records)
    yield from main_results(records, filmed)
    yield scaling(records)
    yield few_labels(records)
    yield third_source(records)
    yield transfer(records, filmed)
    yield from ablation(records)
    yield smoothness(records)
    yield world_models(records)
    yield policies(records)
    yield tuning(records)
    yield costs(records)
    yield speed(records)


def write_results(records: Records, out: Path, filmed: Filmed = NO_FILMS) -> None:
    """Write the page."""
    write_bytes(out, html(TITLE, LEAD, list(sections(records, filmed))).encode())


def results_markdown(records: Records) -> str:
    """The tables and sentences."""
    return markdown(TITLE, f"{LEAD} {_MADE}", list(sections(records)))
