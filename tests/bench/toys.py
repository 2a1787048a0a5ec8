"""Nodes that take no time. Imported by name, since a child process must find them."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from glam.bench.run import BenchRun, FolderOf, SourceSize


@dataclass(frozen=True)
class Toy(BenchRun):
    """Writes down that it was made, and with what."""

    kind: ClassVar[str] = "toy"
    seconds: ClassVar[float] = 1.0
    label: str
    parts: tuple["Toy", ...] = ()
    fate: str = "well"
    """well, fails, dies, dies-once, lasts a moment, or waits until a file `go` lies beside the folder."""
    amount: float = 1.0

    @property
    def title(self) -> str:
        return self.label

    @property
    def needs(self) -> tuple[BenchRun, ...]:
        return self.parts

    @property
    def settings(self) -> dict[str, Any]:
        return {"label": self.label}

    @property
    def size(self) -> float:
        return self.amount

    @property
    def learnt_from(self) -> tuple[SourceSize, ...]:
        return (SourceSize("toys", 100),)

    def make(self, folder: Path, folder_of: FolderOf) -> dict[str, Any]:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "made").open("a") as file:
            file.write(f"{os.getpid()}\n")
        if self.fate == "fails":
            raise ValueError("a toy that breaks")
        attempts = len((folder / "made").read_text().splitlines())
        if self.fate == "dies" or (self.fate == "dies-once" and attempts == 1):
            os.kill(os.getpid(), signal.SIGKILL)
        if self.fate == "lasts":
            time.sleep(0.15)
        while self.fate == "waits" and not (folder.parent / "go").exists():
            time.sleep(0.02)
        return {"words": [self.label, *(folder_of(part).name for part in self.parts)]}
