"""The page of results, and the same as Markdown."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from glam.core.files import write_bytes
from glam.reports.results.ablation import ablation
from glam.reports.results.costs import costs
from glam.reports.results.document import Section, Words, html, markdown
from glam.reports.results.few_labels import few_labels
from glam.reports.results.films import NO_FILMS, Filmed
from glam.reports.results.goals import goals
from glam.reports.results.main_results import main_results
from glam.reports.results.policies import policies
from glam.reports.results.record import Record, Records
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
    """All of it, in the order of the paper; what is said of a table stands below it."""
    yield goals(records)
    overview, *tasks = main_results(records, filmed)
    yield _explained(overview, records.grid("main"))
    yield from tasks
    yield _explained(scaling(records), records.grid("scaling"))
    yield _explained(few_labels(records), records.grid("few-labels"))
    yield _explained(third_source(records), records.grid("third-source"))
    yield _explained(transfer(records, filmed), records.grid("transfer"))
    *others, last = ablation(records)
    yield from others
    yield _explained(last, records.grid("ablation"))
    yield _explained(smoothness(records), records.grid("smoothness"))
    yield _explained(world_models(records), records.grid("world-models"))
    yield _explained(policies(records), records.grid("policies"))
    yield _explained(tuning(records), records.grid("tuning"))
    yield costs(records)
    yield speed(records)


def _explained(section: Section, record: Record) -> Section:
    return replace(section, blocks=(*section.blocks, *map(Words, record.notes)))


def write_results(records: Records, out: Path, filmed: Filmed = NO_FILMS) -> None:
    """Write the page."""
    write_bytes(out, html(TITLE, LEAD, list(sections(records, filmed))).encode())


def results_markdown(records: Records) -> str:
    """The tables and sentences."""
    return markdown(TITLE, f"{LEAD} {_MADE}", list(sections(records)))
