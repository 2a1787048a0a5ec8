"""How much room each task leaves: `mip` with few and with many labelled demonstrations, on validation scenes.

The bands were fixed before any method with latent actions was tried on these tasks. The record also holds a `trail`,
written by hand: an entry for each version of a task that was tried.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glam.core.files import read_json, write_json
from results import paper
from results.document import NOT_RUN, Block, Section, Table, Words
from results.record import GridRecord, Records, read_records
from results.trials import Trials, of_method

GRID = "tasks"
TABLE, TRAIL = "table", "trail"


@dataclass(frozen=True)
class Band:
    """Success rates in percent that a policy should have, both ends included."""

    low: float
    high: float = 100.0

    @property
    def words(self) -> str:
        """Both ends, or the lower one where the upper one is no limit."""
        return f"{self.low:g} to {self.high:g} %" if self.high < 100.0 else f"{self.low:g} % or more"

    def verdict(self, tried: Trials) -> str:
        """`inside`, `below` or `above`, by all trainings together."""
        if not tried.is_run:
            return NOT_RUN
        percent = 100 * tried.rate.estimate
        return "below" if percent < self.low else "above" if percent > self.high else "inside"


_USUAL = {"mip": Band(30.0, 70.0), "upper-bound": Band(90.0)}
BANDS: dict[str, dict[str, Band]] = dict.fromkeys(paper.TASKS, _USUAL) | {
    "stack-three": {"mip": Band(10.0, 60.0), "upper-bound": Band(85.0)}
}
"""By task and method: `mip` learns from 100 labelled demonstrations, `upper-bound` is the same with 500."""
_COLUMNS = ("task", "labelled", "trainings", "successes", "rate, 95 % interval", "each training", "wanted", "verdict")


def tasks(records: Records) -> Section:
    """The section."""
    return Section("Room in the tasks", tuple(_blocks(records.grid(GRID))))


def table(record: GridRecord) -> list[dict[str, Any]]:
    """The table as JSON: an entry for each task and method."""
    return [_entry(record, task, method, band) for task, bands in BANDS.items() for method, band in bands.items()]


def write_table(folder: Path) -> list[dict[str, Any]]:
    """Put the table into the record of the grid; returns it."""
    path = folder / f"{GRID}.json"
    found = table(read_records(folder).grid(GRID))
    write_json(path, {TRAIL: []} | read_json(path) | {TABLE: found})
    return found


def _entry(record: GridRecord, task: str, method: str, band: Band) -> dict[str, Any]:
    tried = of_method(record, task, method)
    labelled = tried.cells[0].amounts[0] if tried.cells else 0
    entry: dict[str, Any] = {"task": task, "method": method, "labelled": labelled, "trainings": len(tried.trainings)}
    entry |= {"successes": tried.successes, "episodes": tried.episodes}
    if tried.is_run:
        rates = [round(100 * rate, 1) for rate in (tried.rate.estimate, tried.rate.low, tried.rate.high)]
        each = [round(100 * rate, 1) for rate in tried.rates]
        entry |= {"percent": rates[0], "interval": rates[1:], "percent_of_each_training": each}
    return entry | {"band": [band.low, band.high], "verdict": band.verdict(tried)}


def _blocks(record: GridRecord) -> Iterator[Block]:
    if not record.cells:
        yield Words(f"Not run yet: glam bench {GRID}.")
    else:
        yield Words(
            "mip on validation scenes. Placements were made so wide that 100 labelled demonstrations are not enough "
            "and 500 are; the wanted rates were fixed beforehand, and no method with latent actions was looked at."
        )
        yield Table(_COLUMNS, tuple(_row(record, entry) for entry in table(record)))
    trail: list[Mapping[str, object]] = record.measured.get(TRAIL, [])
    if trail:
        columns = tuple(dict.fromkeys(name for entry in trail for name in entry))
        rows = tuple(tuple(str(entry.get(name, "")) for name in columns) for entry in trail)
        yield Table(columns, rows, "What was tried")


def _row(record: GridRecord, entry: Mapping[str, Any]) -> tuple[str, ...]:
    tried = of_method(record, entry["task"], entry["method"])
    counts = f"{tried.successes} of {tried.episodes}" if tried.is_run else NOT_RUN
    found = (counts, tried.percent if tried.is_run else "-", tried.spread if tried.is_run else "-")
    band = BANDS[entry["task"]][entry["method"]]
    return entry["task"], str(entry["labelled"]), str(entry["trainings"]), *found, band.words, entry["verdict"]
