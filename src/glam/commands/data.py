"""`glam data check` and `glam data view`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from glam.commands.console import bar, say

Folder = Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="DIR")]


@dataclass(frozen=True)
class Check:
    """Look for faults in a dataset; each finding names file, episode and frame, and a remedy. Exit code 1 on errors."""

    root: Folder
    """Folder of a LeRobot v3.0 dataset."""

    def run(self) -> int:
        """Check and print every finding."""
        from glam.data.check import check_dataset, has_errors, lines

        with bar(f"checking {self.root}") as progress:
            findings = check_dataset(self.root, progress)
        for line in lines(findings):
            say(line)
        return int(has_errors(findings))


@dataclass(frozen=True)
class View:
    """Make a page about a dataset: films with masks, end-effector path and gripper curves. One file, no network."""

    root: Folder
    """Folder of a LeRobot v3.0 dataset."""
    out: Path | None = None
    """The page; by default DIR.html beside the folder."""
    episodes: tuple[int, ...] = ()
    """Numbers of the episodes to show; by default eight, spread evenly."""

    def run(self) -> int:
        """Write the page and print its path."""
        from glam.data.reader import Dataset
        from glam.reports.data_view import spread, write_data_view

        dataset = Dataset.open(self.root)
        out = self.out or self.root.resolve().with_suffix(".html")
        write_data_view(dataset, out, self.episodes or spread(dataset, 8))
        say(str(out))
        return 0


@dataclass(frozen=True)
class Data:
    """Check or look at a dataset."""

    command: Annotated[Check, tyro.conf.subcommand("check")] | Annotated[View, tyro.conf.subcommand("view")]

    def run(self) -> int:
        """Run the command below."""
        return self.command.run()
