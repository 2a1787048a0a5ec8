"""Outcomes of tries, counted by section, saved as they come and gathered in one record."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from benchmarks.torture.samples import Samples

from glam.core.files import read_json, write_json

Verdict = Literal["detected", "harmless", "silent", "untellable", "traceback", "hang", "lost"]
VERDICTS: dict[Verdict, str] = {
    "detected": "refused in one sentence, or put right",
    "harmless": "the same result, bit for bit, as without the attack",
    "silent": "another result without a word",
    "untellable": "another result, of a file that has no checksum: what it says now is what was read",
    "traceback": "an exception that no user should see, or a process that died",
    "hang": "not over in time",
    "lost": "something that was saved is gone, or a robot that was let down",
}
FAILURES: tuple[Verdict, ...] = ("silent", "traceback", "hang", "lost")
MOST_CASES = 40
"""Failures of a section that are told one by one."""


@dataclass(frozen=True)
class Result:
    """What came of one try, or of several alike."""

    verdict: Verdict
    case: str
    """What was done, and what came of it."""
    tries: int = 1
    facts: dict[str, Any] = field(default_factory=dict)
    """Figures for the section besides the counts; later ones replace earlier ones."""


Tries = Callable[[Samples, range], Iterable[Result]]
"""Makes the tries of these numbers, in order. A number gives the same try whenever it is made."""


@dataclass(frozen=True)
class Section:
    """Attacks of one kind."""

    name: str
    what: str
    """The promise under attack, as a clause for the table."""
    full: int
    quick: int
    tries: Tries
    is_timed: bool = False
    """True if times are measured, so that it needs the machine for itself."""


@dataclass
class Tally:
    """Counts of a section, kept in a file."""

    path: Path
    next: int = 0
    """Number of the next try."""
    is_done: bool = False
    seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)
    cases: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def at(cls, path: Path) -> "Tally":
        """The counts so far."""
        return cls(path, **read_json(path)) if path.exists() else cls(path)

    def add(self, result: Result, seconds: float) -> None:
        """Count and save the result of the next try."""
        self.counts[result.verdict] = self.counts.get(result.verdict, 0) + result.tries
        if result.verdict in FAILURES and len(self.cases) < MOST_CASES:
            self.cases.append(f"{result.verdict}: {result.case}")
        self.facts |= result.facts
        self.next += 1
        self.seconds = seconds
        self.save()

    def save(self) -> None:
        """Write the counts."""
        fields = {name: value for name, value in vars(self).items() if name != "path"}
        write_json(self.path, fields)

    def row(self) -> dict[str, Any]:
        """The section's part of the record."""
        counts = {verdict: self.counts.get(verdict, 0) for verdict in VERDICTS}
        whole = {"tries": sum(counts.values())} | counts | {"made": self.next, "seconds": round(self.seconds, 1)}
        return whole | self.facts | ({"cases": self.cases} if self.cases else {})


COLUMNS = {
    "tries": "tries",
    "detected": "detected",
    "harmless": "harmless",
    "untellable": "cannot be told",
    "silent": "silent",
    "traceback": "tracebacks",
    "hang": "hangs",
    "lost": "lost",
}


def table(sections: dict[str, dict[str, Any]]) -> str:
    """The record's sections as a table in Markdown."""
    lines = [f"| what was tried | {' | '.join(COLUMNS.values())} |", "|---" * (len(COLUMNS) + 1) + "|"]
    lines += [_line(row["what"], row) for row in sections.values()]
    total = {name: sum(row[name] for row in sections.values()) for name in COLUMNS}
    return "\n".join([*lines, _line("all", total)])


def _line(name: str, row: dict[str, Any]) -> str:
    return f"| {name} | {' | '.join(f'{row[column]:,}' if row[column] else '-' for column in COLUMNS)} |"


def latencies(sections: dict[str, dict[str, Any]]) -> str:
    """Times of a robot's requests beside each attack on its server, as a table in Markdown."""
    columns = ("beside", "p50 alone (ms)", "p50", "p99 alone (ms)", "p99", "p99 / p99 alone", "load of the machine")
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for row in sections.values():
        if "beside" in row:
            times = [f"{row[when][which]:.1f}" for which in ("p50_ms", "p99_ms") for when in ("alone", "beside")]
            cells = (row["what"], *times, f"{row['p99_ratio']:.2f}", str(row.get("load_average", "-")))
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


BEGIN, END = "<!-- what was tried: begin -->", "<!-- what was tried: end -->"


def page_with(page: str, record: dict[str, Any] | None) -> str:
    """The page of docs with the tables of a record, or with word that there is none."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{_shown(record) if record else NOT_YET}\n{END}{rest.partition(END)[2]}"


NOT_YET = "The whole has not run on this version yet: there is no record."


def _shown(record: dict[str, Any]) -> str:
    parts = [_introduction(record), table(record["sections"])]
    is_timed = any("beside" in row for row in record["sections"].values())
    return "\n\n".join([*parts, latencies(record["sections"])] if is_timed else parts)


def _introduction(record: dict[str, Any]) -> str:
    every, left, machine = record["sections_in_all"], len(record["tries_left"]), record["machine"]
    part = f"A part of `make torture`, not the whole: {every - left} of {every} sections have made all their tries,"
    minutes = sum(row["seconds"] for row in record["sections"].values()) / 60
    words = (
        f"{part if left else 'The whole of `make torture`:'} {minutes:.0f} minutes in all, on {machine['cores']} cores"
    )
    return f"{words} at a load of {machine['load_average']}. The record is [torture.json](results/torture.json)."


def failures(sections: dict[str, dict[str, Any]]) -> int:
    """Tries that must not be."""
    return sum(row[verdict] for row in sections.values() for verdict in FAILURES)
