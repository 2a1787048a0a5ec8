"""`glam report`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from glam.commands.console import bar, say


@dataclass(frozen=True)
class Report:
    """Make one page about evaluations, trainings, replays and benchmarks.

    It shows success rates with intervals, failed stages, films, learning curves, and the commands behind the numbers.
    """

    folders: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="DIR...")]
    """Folders made by evaluate, train-policy, train-world-model, replay or bench, or folders that contain such; of a
    benchmark, give its folder of records, such as runs/bench/records, for a table of all cells."""
    out: Path = Path("report.html")
    """The page: one file that loads nothing from the network."""

    def run(self) -> int:
        """Write the page and print its path."""
        from glam.stages.report import report

        with bar("decoding") as progress:
            say(str(report(self.folders, self.out, progress)))
        return 0
