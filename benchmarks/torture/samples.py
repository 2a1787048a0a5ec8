"""A folder of sound files, and room to spoil copies of them."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from benchmarks.torture import processes
from benchmarks.torture.processes import Ended, Work


@dataclass(frozen=True)
class Samples:
    """A folder with sound files in `sound`, and room to spoil copies of them."""

    root: Path

    @property
    def sound(self) -> Path:
        """Sound files; nothing changes them."""
        return self.root / "sound"

    def beside(self, name: str) -> "Samples":
        """The same sound files with room of their own, for a process that works beside others."""
        root = self.root / name
        root.mkdir(exist_ok=True)
        if not (root / "sound").exists():
            (root / "sound").symlink_to(self.sound)
        return Samples(root)

    def place(self, name: str) -> Path:
        """A new empty folder for a try, with a cache of its own."""
        place = self.root / "places" / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        os.environ["GLAM_CACHE"] = str(place / "cache")
        return place

    def run(self, work: Work, patience: float = processes.PATIENCE) -> Ended:
        """Do `work` in a process of its own."""
        return processes.run(work, self.root, patience)

    def must(self, work: Work) -> None:
        """Do `work`, which cannot fail."""
        found = self.run(work)
        if found.code:
            raise RuntimeError(f"ended with {found.code}: {found.said[-2000:]}")
