"""The page of results, and the same as Markdown."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from glam.core.files import write_bytes
from results.ablation import ablation
from results.costs import costs
from results.document import Section, Words, html, markdown
from results.few_labels import few_labels
from results.films import NO_FILMS, Filmed
from results.goals import goals
from results.heads import heads
from results.main_results import main_results
from results.method import method
from results.policies import policies
from results.record import GridRecord, Records
from results.scaling import scaling
from results.smoothness import smoothness
from results.sources import third_source, transfer
from results.speed import speed
from results.tasks import tasks
from results.tuning import tuning
from results.world_models import world_models

TITLE = "Results"
LEAD = (
    "The paper's figures and tables from our own runs with preset cpu, beside the numbers of the paper. Every task is "
    "simulated; kinova-lab replaces the paper's real robot. All tables but those of heads and tasks are from version "
    "0.1: objects started in smaller areas, and every policy had the keypoint loss, which needs object masks."
)
_MADE = "`make results` writes this page from the records in [results](results/); edit those instead."


def sections(records: Records, filmed: Filmed = NO_FILMS) -> Iterator[Section]:
    """All sections: the results in the order of the paper, then our goals, costs and speed."""
    overview, *by_task = main_results(records, filmed)
    yield _explained(overview, records.grid("main"))
    yield from by_task
    yield _explained(scaling(records), records.grid("scaling"))
    yield _explained(few_labels(records), records.grid("few-labels"))
    yield _explained(third_source(records), records.grid("third-source"))
    yield _explained(transfer(records, filmed), records.grid("transfer"))
    *others, last = ablation(records)
    yield from others
    yield _explained(last, records.grid("ablation"))
    yield _explained(smoothness(records), records.grid("smoothness"))
    yield _explained(world_models(records), records.grid("world-models"))
    yield _explained(method(records), records.grid("method"))
    yield _explained(policies(records), records.grid("policies"))
    yield _explained(heads(records), records.grid("heads"))
    yield _explained(tasks(records), records.grid("tasks"))
    yield _explained(tuning(records), records.grid("tuning"))
    yield goals(records)
    yield costs(records)
    yield speed(records)


def _explained(section: Section, record: GridRecord) -> Section:
    return replace(section, blocks=(*section.blocks, *map(Words, record.notes)))


def write_results(records: Records, out: Path, filmed: Filmed = NO_FILMS) -> None:
    """Write the page."""
    write_bytes(out, html(TITLE, LEAD, list(sections(records, filmed))).encode())


def results_markdown(records: Records) -> str:
    """The tables and sentences."""
    return markdown(TITLE, f"{LEAD} {_MADE}", list(sections(records)))
