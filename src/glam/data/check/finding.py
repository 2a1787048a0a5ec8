"""One thing that is wrong with a dataset, and the safety net that turns any failure to read a file into one."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

from glam.data.check.kinds import KINDS, Severity

Learnt = TypeVar("Learnt")

Checking = Generator["Finding", None, Learnt]
"""A check: it yields what is wrong, never stops at the first fault, and returns what it learnt for later checks."""


@dataclass(frozen=True)
class Finding:
    """What is wrong, where, and what to do. `code` is a key of `KINDS`."""

    code: str
    file: str
    """Path below the root of the dataset, with forward slashes."""
    problem: str
    episode: int | None = None
    """The episode concerned; None when the finding is about a file or the whole set."""
    frame: int | None = None
    """The first frame concerned, counted within its episode; None when all are."""

    @property
    def severity(self) -> Severity:
        """An error makes the set unfit for use; a warning asks for a look."""
        return KINDS[self.code].severity

    @property
    def remedy(self) -> str:
        """What to do."""
        return KINDS[self.code].remedy

    @property
    def text(self) -> str:
        """All of it in one line."""
        place = [self.file]
        place += [] if self.episode is None else [f"episode {self.episode}"]
        place += [] if self.frame is None else [f"frame {self.frame}"]
        return " ".join(f"{self.severity} [{self.code}] {', '.join(place)}: {self.problem}; {self.remedy}".split())


def guarded(check: Checking[Learnt], file: str, otherwise: Learnt) -> Checking[Learnt]:
    """Run `check`; whatever it raises becomes a finding about `file`, and `otherwise` is what was learnt.

    Hostile bytes make readers raise almost anything (a parquet footer alone knows a dozen ways), and one bad file must
    not hide what is wrong with the others: therefore the broad net, here and nowhere else.
    """
    try:
        return (yield from check)
    except Exception as error:
        yield Finding("unreadable", file, f"cannot be read ({brief(error)})")
        return otherwise


def more(frames: int) -> str:
    """How many frames beyond the first have the same fault, as the end of a sentence; empty when there are none."""
    return "" if frames < 2 else f", and in {frames - 1} more frame{'s' if frames > 2 else ''}"


def brief(error: BaseException) -> str:
    """The gist of an exception in at most 160 characters of one line."""
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words}"[:160] if words else type(error).__name__
