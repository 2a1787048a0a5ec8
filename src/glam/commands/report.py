"""`glam report`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from glam.commands.console import bar, say


@dataclass(frozen=True)
class Report:
    """Make one page about evaluations, trainings and replays: what succeeds, where it fails, films, all behind it."""

    folders: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="DIR...")]
    """Folders made by evaluate, train-policy, train-world-model and replay, in any mix, or folders that hold such."""
    out: Path = Path("report.html")
    """The page: one file that loads nothing from the network."""

    def run(self) -> int:
        """Write the page and print its path."""
        from glam.stages.report import report

        with bar("decoding") as progress:
            say(str(report(self.folders, self.out, progress)))
        return 0
