"""The pages of results: the story in images, all tables, and the goals; as HTML and as Markdown."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from glam.core.files import write_bytes
from results.ablation import ablation
from results.aggregates import aggregates
from results.costs import costs
from results.document import Section, html, images, markdown, short_markdown
from results.few_labels import few_labels
from results.films import NO_FILMS, Filmed
from results.goals import explanations, goals
from results.heads import heads
from results.images import FOLDER
from results.main_results import each_task, main_results
from results.method import method
from results.policies import policies
from results.record import Records
from results.regimes import regimes
from results.revisions import revisions
from results.scaling import scaling
from results.smoothness import smoothness
from results.sources import third_source, transfer
from results.speed import speed
from results.tasks import tasks
from results.tuning import tuning
from results.world_models import world_models

TITLE, TABLES, GOALS = "Results", "Tables of results", "Goals"
LEAD = (
    "The paper's figures from our own runs with preset cpu, beside the numbers of the paper. Every task is simulated; "
    "kinova-lab replaces the paper's real robot. All tables but those of heads and tasks are from version 0.1: objects "
    "started in smaller areas, and every policy had the keypoint loss, which needs object masks."
)
_MADE = "`make results` writes this page from the records in [results](results/); edit those instead."
_GOALS_LEAD = "What we wanted to reach, what came out, and why goals were missed."


def story(records: Records, filmed: Filmed = NO_FILMS) -> Iterator[Section]:
    """The results in the order of the paper, each with what the paper says, what we found, and a image."""
    yield main_results(records)
    yield scaling(records)
    yield few_labels(records)
    yield regimes(records)
    yield third_source(records)
    yield transfer(records, filmed)
    yield from ablation(records)
    yield smoothness(records)


def details(records: Records, filmed: Filmed = NO_FILMS) -> Iterator[Section]:
    """What a reader of the story may want to look up."""
    yield aggregates(records)
    yield from each_task(records, filmed)
    yield world_models(records)
    yield method(records)
    yield policies(records)
    yield heads(records)
    yield tasks(records)
    yield tuning(records)
    yield costs(records)
    yield speed(records)
    yield revisions(records)


def judged(records: Records) -> Iterator[Section]:
    """The page of goals."""
    yield goals(records)
    yield from explanations(records)


@dataclass(frozen=True)
class Results:
    """All sections of the pages, made once for all of them."""

    told: tuple[Section, ...]
    details: tuple[Section, ...]
    judged: tuple[Section, ...]

    @classmethod
    def of(cls, records: Records, filmed: Filmed = NO_FILMS) -> "Results":
        """The sections that records give."""
        return cls(tuple(story(records, filmed)), tuple(details(records, filmed)), tuple(judged(records)))


def write_pages(found: Results, out: Path) -> Iterator[Path]:
    """Write the page of results, and that of goals beside it; yields both."""
    goals_out = out.with_name(f"goals-of-{out.name}")
    write_bytes(out, html(TITLE, LEAD, [*found.told, *found.details]).encode())
    write_bytes(goals_out, html(GOALS, _GOALS_LEAD, found.judged).encode())
    yield from (out, goals_out)


def write_documents(found: Results, docs: Path) -> Iterator[Path]:
    """Write the Markdown pages and the images that they show; images of the past are deleted."""
    for name, text in documents(found).items():
        write_bytes(docs / name, text.encode())
        yield docs / name
    shown = {one.name: one for one in images(found.told)}
    for old in (docs / FOLDER).glob("*"):
        if old.name not in shown:
            old.unlink()
    for one in shown.values():
        write_bytes(docs / one.link, one.content)
        yield docs / one.link


def documents(found: Results) -> dict[str, str]:
    """The Markdown pages by their names."""
    links = "All numbers: [tables](tables.md). What we wanted to reach, and why goals were missed: [goals](goals.md)."
    everything = [*found.told, *found.details]
    return {
        "results.md": short_markdown(TITLE, f"{LEAD} {links} {_MADE}", found.told),
        "tables.md": markdown(TABLES, f"{LEAD} In short: [results](results.md). {_MADE}", everything),
        "goals.md": markdown(GOALS, f"{_GOALS_LEAD} {_MADE}", found.judged),
    }
