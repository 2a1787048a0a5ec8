"""Code revisions behind each table: whether all its runs come from the same code."""

from collections.abc import Iterator, Mapping

from glam.bench.records import CODE, UNKNOWN_CODE
from results.document import Block, Section, Table, Words
from results.record import GridRecord, Records

_WORDS = (
    "Every run notes a hash of the code that made it, and the record of a grid counts them. Runs of version 0.1 noted "
    "none."
)


def revisions(records: Records) -> Section:
    """The section."""
    return Section("Code revisions", tuple(_blocks(records)))


def counted(record: GridRecord) -> Mapping[str, int]:
    """Runs of a grid by the revision of their code, the most frequent first."""
    found: Mapping[str, int] = record.measured.get(CODE, {})
    return found or ({UNKNOWN_CODE: len(record.runs)} if record.runs else {})


def _blocks(records: Records) -> Iterator[Block]:
    found = {name: counted(record) for name, record in records.grids.items()}
    rows = tuple((name, _verdict(codes), _told(codes)) for name, codes in found.items() if codes)
    if rows:
        yield Words(_WORDS)
        yield Table(("grid", "revisions", "runs of each"), rows, "Code revisions of each table")


def _verdict(codes: Mapping[str, int]) -> str:
    if UNKNOWN_CODE in codes:
        return UNKNOWN_CODE
    return "one" if len(codes) == 1 else f"{len(codes)}: not all from the same code"


def _told(codes: Mapping[str, int]) -> str:
    return ", ".join(f"{code} {count}" for code, count in codes.items())
