"""Work in forked processes, so that a try costs no fresh interpreter, and the faults that are injected there."""

import errno
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from glam.cli import main

PATIENCE = 300.0
"""Seconds after which a try counts as one that hangs; those in which others had the processor do not count."""
MOST_PROCESSOR_SECONDS = 60
MOST_MEMORY = 4 << 30
Work = Callable[[], object]
Kind = Literal["kill", "freeze", "EIO", "ENOSPC"]


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    code: int
    """Exit code; negative for the number of a signal."""
    said: str
    """What it printed."""
    seconds: float
    memory_mb: int

    @property
    def is_hang(self) -> bool:
        """True if it had to be stopped."""
        return self.code in {-signal.SIGXCPU, -signal.SIGALRM}

    @property
    def is_sentence(self) -> bool:
        """True if it ended by refusing, in one line that is meant for a user."""
        lines = [line for line in self.said.splitlines() if line.startswith("glam: ")]
        return self.code == 2 and len(lines) == 1 and "Traceback" not in self.said

    @property
    def last_words(self) -> str:
        """The end of what it said."""
        return " ".join(self.said.split())[-300:]


def forked(work: Work, printed: Path, *, limits: bool = True) -> int:
    """Start `work` in a process group of its own, whose output goes to a file; returns the process's number."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        os.setsid()
        output = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        if limits:
            resource.setrlimit(resource.RLIMIT_CPU, (MOST_PROCESSOR_SECONDS, MOST_PROCESSOR_SECONDS + 5))
            limit_memory()
        work()
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    except BaseException:  # the child must not go on as if it were its parent
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def limit_memory() -> None:
    """Let this process take so much memory that no file of ours fails, and no bomb takes the machine along."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))


def ended(child: int, printed: Path, patience: float = PATIENCE) -> Ended:
    """Wait for a process; one that takes too long is killed with all that it started."""
    start, late = time.monotonic(), False
    while True:
        number, status, usage = os.wait4(child, os.WNOHANG)
        if number:
            break
        late = late or is_late(child, time.monotonic() - start, patience)
        if late:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.01 if time.monotonic() - start < patience else 1.0)
    code = -signal.SIGALRM if late else os.waitstatus_to_exitcode(status)
    said = printed.read_text(errors="replace") if printed.exists() else ""
    return Ended(code, said, time.monotonic() - start, usage.ru_maxrss // 1024)


def is_late(process: int, seconds: float, patience: float) -> bool:
    """True if a process has taken too long, but for the time in which it or its children stood in line."""
    return seconds > patience and seconds - stood_in_line(process) > patience


def stood_in_line(process: int) -> float:
    """Seconds for which a process and its living children were ready to run while others had the processor."""
    try:
        waited = int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:  # it is gone
        return 0.0
    return waited + sum(stood_in_line(int(child)) for child in children)


def run(work: Work, scratch: Path, patience: float = PATIENCE) -> Ended:
    """Do `work` in a forked process and wait for its end."""
    printed = scratch / "printed.txt"
    return ended(forked(work, printed), printed, patience)


def glam(words: Sequence[object]) -> Work:
    """A command of ours, as typed."""

    def work() -> None:
        sys.argv = ["glam", *map(str, words)]
        main()

    return work


def faulty(work: Work, root: Path, kind: Kind, number: int, passed: Path | None = None) -> Work:
    """`work` in which call number `number` on a file below `root` fails; counted from 1, 0 for none.

    Calls are openings, renamings, removals, new folders and syncs. EIO comes once; a full disk stays full, so that with
    ENOSPC all later writes fail too; `kill` ends the process at once and `freeze`
    stops it until it is woken. The number of calls goes to the file `passed`.
    """

    def broken() -> None:
        count = 0

        def call(path: str, *, is_write: bool) -> None:
            nonlocal count
            count += 1
            if number and (count == number or (kind == "ENOSPC" and count > number)):
                fail(kind, path, is_write=is_write)

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            if event in CHANGES and str(arguments[0]).startswith(str(root)):
                flags = arguments[2] if event == "open" else os.O_WRONLY * (event not in NO_ROOM_NEEDED)
                call(str(arguments[0]), is_write=bool(int(str(flags or 0)) & (os.O_WRONLY | os.O_RDWR)))

        sync = os.fsync

        def fsync(file: int) -> None:
            call(os.readlink(f"/proc/self/fd/{file}"), is_write=True)
            sync(file)

        os.fsync = fsync
        sys.addaudithook(hook)
        try:
            work()
        finally:
            if passed:
                passed.write_text(str(count))

    return broken


NO_ROOM_NEEDED = {"os.remove", "os.rmdir", "os.listdir", "os.scandir"}
CHANGES = {"open", "os.mkdir", "os.rename", "os.truncate", "os.remove", "os.rmdir", "os.listdir", "os.scandir"}


def fail(kind: Kind, path: str, *, is_write: bool) -> None:
    """Fail as the kernel would."""
    if kind in {"kill", "freeze"}:
        os.kill(os.getpid(), signal.SIGKILL if kind == "kill" else signal.SIGSTOP)
    elif kind == "EIO" or is_write:
        code = getattr(errno, kind)
        raise OSError(code, os.strerror(code), path)


def full_after(work: Work, most: int) -> Work:
    """`work` that can write no file of more than `most` bytes: writes fail half-way, in every library.

    What it prints is such a file too, so that `most` must leave room for a sentence.
    """

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))  # Python ignores the signal and gets an error instead
        work()

    return limited
