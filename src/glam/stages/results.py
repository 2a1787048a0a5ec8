"""`glam report` of the records of `glam bench`: the page of results, and the same as Markdown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from glam.core.errors import GlamError
from glam.core.files import write_bytes
from glam.evaluation.evaluations import FILMS, read_evaluation
from glam.reports.results.page import results_markdown, write_results
from glam.reports.results.record import is_records, read_records
from glam.stages.report import find


@dataclass(frozen=True)
class Given:
    """The folders of a report, sorted."""

    records: tuple[Path, ...]
    others: tuple[Path, ...]

    @classmethod
    def of(cls, folders: Sequence[Path]) -> "Given":
        """Records of `glam bench`, and everything else."""
        records = tuple(folder for folder in folders if folder.is_dir() and is_records(folder))
        return cls(records, tuple(folder for folder in folders if folder not in records))


def results(given: Given, out: Path) -> Path:
    """Write the page of a folder of records, with films that lie in it or in folders of its evaluations."""
    if out.is_dir():
        raise GlamError(f"--out {out}: is a folder; give the name of the page, such as {out / 'results.html'}")
    records = _sole(given)
    write_results(read_records(records), out, dict(_kept_films(records)) | dict(_films(given.others)))
    return out


def write_markdown(given: Given, out: Path) -> Path:
    """Write the tables of a folder of records."""
    if not given.records:
        raise GlamError(f"--markdown {out}: is made of records of glam bench; give their folder, such as docs/results")
    write_bytes(out, results_markdown(read_records(_sole(given))).encode())
    return out


def _sole(given: Given) -> Path:
    if len(given.records) > 1:
        raise GlamError(f"{given.records[1]}: a second folder of records; a page of results is about one")
    return given.records[0]


def _kept_films(records: Path) -> Iterator[tuple[str, list[Path]]]:
    """By the name of their run, which is that of their folder; there is a folder of those for each grid."""
    for folder in sorted((records / FILMS).glob("*/*")):
        yield folder.name, sorted(folder.glob("*.mp4"))


def _films(folders: Sequence[Path]) -> Iterator[tuple[str, list[Path]]]:
    """By the name of the evaluation, which is that of its folder."""
    for root in find(folders).evaluations if folders else ():
        yield root.name, [filmed.path for filmed in read_evaluation(root).films]
