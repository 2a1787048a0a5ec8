"""One run of a benchmark, such as a recorded dataset or a trained model, and the store in which runs are kept."""

import hashlib
import os
import platform
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar

from glam.core import seals
from glam.core.configs import DISTRIBUTION, digest, installed, to_json
from glam.core.errors import USERS_ERRORS, GlamError, sentence

FolderOf = Callable[["BenchRun"], Path]
"""Folder of a finished run."""

_PACKAGES = (DISTRIBUTION, "mujoco", "numpy", "safetensors", "torch")
"""Packages on which results depend."""


@dataclass(frozen=True)
class SourceSize:
    """Demonstrations of one source."""

    embodiment: str
    episodes: int
    """Episodes for training: held-out ones are not counted."""


class BenchRun(ABC):
    """A function of its settings and of the runs it needs. Runs are frozen dataclasses, equal when these are equal."""

    kind: ClassVar[str]
    seconds: ClassVar[float]
    """Time that a run of size 1 takes on a quiet core, before any run of this kind has been measured."""
    revision: ClassVar[int] = 0
    """Raised by one whenever code changes what the same settings give, so that new results are not taken for old ones.

    A test compares small runs with `tests/bench/golden.json` and says when. Revision 0 is not part of names.
    """
    can_spread: ClassVar[bool] = False
    """True where `make_with` uses several cores, because the result does not depend on their number."""

    @property
    @abstractmethod
    def title(self) -> str:
        """Name for a reader."""

    @property
    def stem(self) -> str:
        """Beginning of the name of its folder."""
        return self.title

    @property
    def needs(self) -> tuple["BenchRun", ...]:
        """Runs that must be done before this one."""
        return ()

    @property
    @abstractmethod
    def settings(self) -> Any:
        """Everything that shapes the run besides the runs it needs; a config."""

    @property
    def size(self) -> float:
        """Amount of work, compared with other runs of its kind."""
        return 1.0

    @property
    def learnt_from(self) -> tuple[SourceSize, ...]:
        """Sources of all trainings on the way to this run, the labelled target first."""
        return ()

    @abstractmethod
    def make(self, folder: Path, folder_of: FolderOf) -> dict[str, Any]:
        """Do the work in `folder`, resuming after an interruption; returns the result for the run record."""

    def make_with(self, cores: int, folder: Path, folder_of: FolderOf) -> dict[str, Any]:
        """Do the same work with several cores."""
        del cores
        return self.make(folder, folder_of)

    @cached_property
    def name(self) -> str:
        """Name of its folder. It ends with a hash of the settings and the revision: other results have other names."""
        parts = {"kind": self.kind, "settings": self.settings, "needs": [need.name for need in self.needs]}
        revision = {"revision": self.revision} if self.revision else {}
        return f"{self.stem}-{digest(parts | revision)[:8]}"


@dataclass(frozen=True)
class RunStore:
    """The folder that holds all runs of a benchmark. A run is done when it has a run record, which is written last."""

    root: Path

    def folder(self, run: BenchRun) -> Path:
        """Folder of a run."""
        return self.root / run.kind / run.name

    def run_record(self, run: BenchRun) -> Path:
        """File with the result of a run that is done, its settings and what it took."""
        return self.root / "run_records" / f"{run.kind}.{run.name}.json"

    @property
    def records(self) -> Path:
        """Folder of the records of whole grids."""
        return self.root / "records"

    @property
    def logs(self) -> Path:
        """Folder of the logs."""
        return self.root / "logs"

    def log(self, run: BenchRun) -> Path:
        """File with what a run printed, and why it failed."""
        return self.logs / f"{run.kind}.{run.name}.log"

    def read(self, run: BenchRun) -> dict[str, Any]:
        """The run record; one that has changed since it was written is an error."""
        try:
            return seals.read_object(self.run_record(run))
        except GlamError as error:
            raise GlamError(f"{error} and run the same command again") from None

    def is_done(self, run: BenchRun) -> bool:
        """Tell whether nothing is left to do for this run."""
        return self.run_record(run).exists()

    def write_log(self, run: BenchRun, text: str) -> None:
        """Add a line to the log of a run."""
        self.logs.mkdir(parents=True, exist_ok=True)
        with self.log(run).open("a") as file:
            file.write(f"{text}\n")

    def attempt(self, run: BenchRun, cores: int = 1) -> None:
        """Make a run; the reason of a failure goes to its log."""
        try:
            self.make(run, cores)
        except Exception as error:
            reason = sentence(error) if isinstance(error, USERS_ERRORS) else traceback.format_exc()
            with suppress(OSError):  # the disk may be what has failed
                self.write_log(run, reason)

    def make(self, run: BenchRun, cores: int = 1) -> None:
        """Make a run in this process and write its run record; `cores` is more than 1 for runs that can spread."""
        code = code_revision()
        begin, work, load = time.monotonic(), _processor_seconds(), os.getloadavg()[0]
        folder = self.folder(run)
        result = run.make_with(cores, folder, self.folder) if run.can_spread else run.make(folder, self.folder)
        elapsed, work = time.monotonic() - begin, _processor_seconds() - work
        whole = max(elapsed, result.get("training_seconds", 0.0))  # of all attempts, where that is known
        record = {
            "kind": run.kind,
            "title": run.title,
            "name": run.name,
            "config": to_json(run),
            "needs": [need.name for need in run.needs],
            "result": result,
            "seconds": round(work * whole / elapsed, 1),  # of one core, as if earlier attempts had the same share of it
            "elapsed_seconds": round(whole, 1),
            "load_average": [round(load, 1), round(os.getloadavg()[0], 1)],
            "code": code,
            "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "versions": installed(_PACKAGES)},
        }
        seals.write_object(self.run_record(run), record)


@cache
def code_revision() -> str:
    """Short hash of the source of GLAM as it is installed: equal for equal code, whether committed or not."""
    root, found = Path(__file__).parents[1], hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:12]


def ordered(runs: Sequence[BenchRun]) -> list[BenchRun]:
    """All runs that these consist of, each once and after the runs it needs."""
    return list(dict.fromkeys(_depth_first(runs)))


def _depth_first(runs: Sequence[BenchRun]) -> Iterator[BenchRun]:
    for run in runs:
        yield from _depth_first(run.needs)
        yield run


def _processor_seconds() -> float:
    """Processor time of this process and of child processes that have ended."""
    return sum(os.times()[:4])
