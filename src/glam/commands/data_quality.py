"""`glam data quality`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from glam.commands.console import bar, say
from glam.commands.policies import RobotFlags
from glam.core.errors import GlamError

if TYPE_CHECKING:
    from glam.data.quality import Quality


@dataclass(frozen=True)
class DataQuality:
    """Judge every episode: lost tracking, jumps, stalls, grippers that never move, delays, copies, odd lengths.

    Episodes are compared with the others of their set. Those marked `leave out` are almost never sound; judge those
    marked `look` yourself. Nothing is changed: --out writes a list for --skip-episodes.
    """

    roots: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="DIR...")]
    """Folders of LeRobot v3.0 datasets."""
    out: Path | None = None
    """Write the episodes to leave out into this JSON file, for --skip-episodes of the trainings. You may edit it."""
    page: Path | None = None
    """Write a page with images and curves of the episodes; of several datasets, a folder with a page for each."""
    target: Path | None = None
    """Dataset of the target robot: also say which poses that robot cannot take. Takes minutes."""
    robot: RobotFlags = RobotFlags()
    workers: int = 2
    """Number of processes."""

    def run(self) -> int:
        """Judge, and print every remark."""
        from glam.core.files import require_writable, write_json
        from glam.data.skipping import FORMAT

        self._check()
        for path in (self.out, *self._pages()):
            if path is not None:
                require_writable(path)
        found = [self._assess(root) for root in self.roots]
        pages = self._pages()
        for number in range(len(pages)):
            self._write_page(found[number], pages[number])
        if self.out is not None:
            write_json(self.out, {"format": FORMAT, "datasets": [one.list_entry for one in found]})
            say(str(self.out))
        return 0

    def _check(self) -> None:
        if not self.roots:
            raise GlamError("DIR: give the folder of a dataset")
        if self.workers < 1:
            raise GlamError(f"--workers {self.workers}: must be at least 1")
        names = [root.resolve().name for root in self.roots]
        if self.page is not None and len(set(names)) < len(names):
            raise GlamError("--page: two datasets have the same name, after which their pages are called")

    def _pages(self) -> tuple[Path, ...]:
        from glam.core.files import contained

        if self.page is None:
            return ()
        if len(self.roots) == 1:
            return (self.page,)
        return tuple(contained(self.page, f"{root.resolve().name}.html") for root in self.roots)

    def _assess(self, root: Path) -> "Quality":
        from glam.data.quality import assess

        model, others = self.robot.model(), []
        if self.target is not None:
            from glam.stages.reach import reach_remarks

            with bar("inverse kinematics") as progress:
                others = reach_remarks(root, self.target, model, progress)
        elif model is not None:
            raise GlamError("--kinematics: needs --target, the dataset of that robot")
        with bar(f"looking at {root}") as progress:
            quality = assess(root, others=others, workers=self.workers, progress=progress)
        for line in quality.lines:
            say(line)
        return quality

    def _write_page(self, quality: "Quality", page: Path) -> None:
        from glam.reports.quality_page import write_quality

        write_quality(quality, page)
        say(str(page))
