"""`glam report`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from glam.commands.console import bar, say


@dataclass(frozen=True)
class Report:
    """Make one page about evaluations, trainings and replays, or about the records of a benchmark.

    What succeeds, where it fails, films, and all behind it.
    """

    folders: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="DIR...")]
    """Folders made by evaluate, train-policy, train-world-model and replay, in any mix, or folders that hold such; or a
    folder of records made by bench, such as docs/results, alone or with the folder of the runs, for their films."""
    out: Path = Path("report.html")
    """The page: one file that loads nothing from the network."""
    markdown: Path | None = None
    """Also write the tables of a folder of records to this file."""

    def run(self) -> int:
        """Write the page and print its path."""
        from glam.stages.report import report
        from glam.stages.results import Given, results, write_markdown

        given = Given.of(self.folders)
        if self.markdown is not None:
            say(str(write_markdown(given, self.markdown)))
        if given.records:
            say(str(results(given, self.out)))
            return 0
        with bar("decoding") as progress:
            say(str(report(self.folders, self.out, progress)))
        return 0
