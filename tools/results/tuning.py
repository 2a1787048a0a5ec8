"""Equal tuning: what was tried for each method on validation scenes, and what the rule chooses."""

from collections.abc import Iterator, Mapping

from glam.bench.grids.tuning import SETTINGS, TASKS
from results.document import NOT_RUN, Block, Section, Table, Words
from results.record import GridRecord, Records
from results.trials import Trials, of_method

GRID = "tuning"
_COLUMNS = ("method", "setting", *TASKS, "together", "")
_WORDS = (
    "Validation scenes, one training each; the tests use other scenes. Every method has as many settings as any other. "
    "Of each method the setting with the most successes on both tasks together is chosen, at a tie the first of the "
    "table, and used on every task."
)


def tuning(records: Records) -> Section:
    """The section."""
    return Section("Settings of each method", tuple(_blocks(records.grid(GRID))))


def chosen(record: GridRecord, method: str) -> str:
    """Name of the chosen setting; empty unless all settings of the method have been tried."""
    found = {name: _tried(record, method, name) for name in SETTINGS[method]}
    if not all(one.is_run for trials in found.values() for one in trials.values()):
        return ""
    return max(found, key=lambda name: _successes(found[name]))  # the first of several


def _blocks(record: GridRecord) -> Iterator[Block]:
    rows = [row for method in SETTINGS for row in _rows(record, method)]
    if rows:
        yield Table(_COLUMNS, tuple(rows))
    yield Words(_WORDS if rows else f"Not run yet: glam bench {GRID}.")


def _rows(record: GridRecord, method: str) -> Iterator[tuple[str, ...]]:
    winner = chosen(record, method)
    for name in SETTINGS[method]:
        found = _tried(record, method, name)
        if any(one.is_run for one in found.values()):
            counts = [f"{one.successes} of {one.episodes}" if one.is_run else NOT_RUN for one in found.values()]
            episodes = sum(one.episodes for one in found.values())
            whole = f"{100 * _successes(found) / episodes:.1f} %"
            yield method, name, *counts, whole, "chosen" if name == winner else ""


def _tried(record: GridRecord, method: str, name: str) -> Mapping[str, Trials]:
    return {task: of_method(record, task, method, name) for task in TASKS}


def _successes(found: Mapping[str, Trials]) -> int:
    return sum(one.successes for one in found.values())
