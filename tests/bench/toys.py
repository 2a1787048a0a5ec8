"""Nodes that take no time. Imported by name, since a child process must find them."""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from glam.bench.run import BenchRun, FolderOf, RunStore, SourceSize
from glam.core.seals import write_object


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


@dataclass(frozen=True)
class SpreadToy(Toy):
    """Writes down with how many cores it was made."""

    can_spread: ClassVar[bool] = True

    def make_with(self, cores: int, folder: Path, folder_of: FolderOf) -> dict[str, Any]:
        return {**self.make(folder, folder_of), "cores": cores}


class SimulatedCores:
    """An engine whose runs take the time they are said to take, on a clock of its own."""

    def __init__(self, cores: int, seconds: Callable[[BenchRun], float] = lambda run: 1.0) -> None:
        self.slots = self.most_cores = cores
        self.now = 0.0
        self.cores: dict[BenchRun, int] = {}
        self._seconds = seconds
        self._ends: dict[BenchRun, tuple[float, RunStore]] = {}

    def start(self, run: BenchRun, store: RunStore, cores: int) -> None:
        self.cores[run] = cores
        self._ends[run] = self.now + self._seconds(run) / cores, store

    def ended(self) -> list[BenchRun]:
        run = min(self._ends, key=lambda run: self._ends[run][0])
        self.now, store = self._ends.pop(run)
        write_object(store.run_record(run), {})
        return [run]

    def stop(self) -> None:
        self._ends.clear()
