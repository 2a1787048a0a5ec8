"""Equal tuning: what was tried for each method on validation scenes, and what the rule chooses."""

from collections.abc import Iterator, Mapping

from glam.bench.grids.parts import Setting
from glam.bench.grids.tuning import SETTINGS, SHORT, TASKS, best_length, best_short, choice
from results.document import NOT_RUN, Block, Section, Table, Words
from results.record import GridRecord, Records
from results.trials import Trials, of_method

GRID = "tuning"
_COLUMNS = ("method", "setting", *TASKS, "together", "chosen")
_WORDS = (
    "Validation scenes, one training each; the tests use other scenes. Every method has as many settings as any other, "
    f"and one rule chooses for all. Of the trainings with {SHORT} steps it takes the settings with the most successes "
    "on both tasks together, and of the recipe in full and in short the number of steps with more successes; at a tie "
    "the first row. What is chosen is used on every task. With one training of each, differences of a few points may "
    "be chance, for every method alike."
)


def tuning(records: Records) -> Section:
    """The section."""
    return Section("Settings of each method", tuple(_blocks(records.grid(GRID))))


def chosen(record: GridRecord, method: str) -> Setting | None:
    """The chosen setting; none unless all settings of the method have been tried on both tasks."""
    found = _successes(record, method)
    return choice(method, found) if len(found) == len(SETTINGS[method]) else None


def _blocks(record: GridRecord) -> Iterator[Block]:
    rows = [row for method in SETTINGS for row in _rows(record, method)]
    if rows:
        yield Table(_COLUMNS, tuple(rows))
    yield Words(_WORDS if rows else f"Not run yet: glam bench {GRID}.")


def _rows(record: GridRecord, method: str) -> Iterator[tuple[str, ...]]:
    marks = _marks(_successes(record, method), method)
    for name in SETTINGS[method]:
        found = _tried(record, method, name)
        if any(one.is_run for one in found):
            counts = [f"{one.successes} of {one.episodes}" if one.is_run else NOT_RUN for one in found]
            whole = 100 * sum(one.successes for one in found) / sum(one.episodes for one in found)
            yield method, name, *counts, f"{whole:.1f} %", marks.get(name, "")


def _marks(successes: Mapping[str, int], method: str) -> dict[str, str]:
    """What the rule takes from a row."""
    if len(successes) < len(SETTINGS[method]):
        return {}
    settings, length = best_short(successes), best_length(successes)
    return {settings: "both"} if settings == length else {settings: "settings", length: "steps"}


def _successes(record: GridRecord, method: str) -> dict[str, int]:
    """Successes on both tasks of the settings that have been tried on both."""
    found = {name: _tried(record, method, name) for name in SETTINGS[method]}
    return {
        name: sum(one.successes for one in trials)
        for name, trials in found.items()
        if all(one.is_run for one in trials)
    }


def _tried(record: GridRecord, method: str, name: str) -> list[Trials]:
    return [of_method(record, task, method, name) for task in TASKS]
