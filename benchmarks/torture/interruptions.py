"""Commands that are killed, whose disk fails or fills up, that run twice at once, or whose clock jumps.

Afterwards the same command is typed again, and must end in what an undisturbed one makes, bit for bit.
"""

import os
import random
import signal
import time
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

from benchmarks.torture import processes
from benchmarks.torture.digests import digest
from benchmarks.torture.jobs import JOBS, Job
from benchmarks.torture.processes import Ended, Kind, Work, faulty, full_after
from benchmarks.torture.samples import Samples
from benchmarks.torture.tally import Result, Section

KILLED = ("collect", "train-world-model", "train-policy", "relabel", "convert", "masks", "evaluate", "bench")
DAY = 86_400.0


@cache
def undisturbed(job: Job, samples: Samples) -> tuple[str, int, float]:
    """What a job makes, the number of its calls on files, and the seconds that it takes."""
    place, passed = job.prepare(samples), samples.root / "passed.txt"
    found = samples.run(faulty(job.work(samples, place), place, "EIO", 0, passed))
    if found.code:
        raise RuntimeError(f"{job.name} ended with {found.code}: {found.said[-2000:]}")
    return digest(place / job.target), int(passed.read_text()), found.seconds


def kills(job: Job, samples: Samples, numbers: range) -> Iterator[Result]:
    """`kill -9` at a random call on a file or at a random moment, twice, and then the same command to its end."""
    expected, calls, seconds = undisturbed(job, samples)
    for number in numbers:
        rng = random.Random(f"{job.name} {number}")
        place, points = job.prepare(samples), []
        for _ in range(2):
            if rng.random() < 0.6:
                points.append(f"call {rng.randint(1, calls)}")
                samples.run(faulty(job.work(samples, place), place, "kill", int(points[-1].split()[1])))
            else:
                points.append(f"{rng.uniform(0.0, seconds):.2f} s")
                killed_after(job.work(samples, place), samples, float(points[-1].split()[0]))
        case = f"{job.name} {number}, killed at {' and '.join(points)}"
        yield resumed(job, samples, place, expected, case)


def killed_after(work: Work, samples: Samples, seconds: float) -> None:
    """Kill a process and all that it started after some seconds, if it has not ended by then."""
    printed = samples.root / "killed.txt"
    child, until = processes.forked(work, printed), time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(0.005)
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:  # it has not come so far as to be a group of its own
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def resumed(job: Job, samples: Samples, place: Path, expected: str, case: str) -> Result:
    """Type the command again, which must end like an undisturbed one."""
    again = samples.run(job.work(samples, place))
    bad = mishap(again, case)
    if bad:
        return bad
    if digest(place / job.target) != expected:
        return Result(
            "lost", f"{case}; the same command ended with {again.code}, in another result: {again.last_words}"
        )
    return Result("harmless", case)  # some commands refuse to make again what is there already


def mishap(found: Ended, case: str) -> Result | None:
    """A hang or a traceback, if it was one."""
    if found.is_hang:
        return Result("hang", f"{case}: {found.last_words}")
    if "Traceback" in found.said or found.code not in {0, 2} or (found.code == 2 and not found.is_sentence):
        return Result("traceback", f"{case}: {found.code}, {found.last_words}")
    return None


def faults(job: Job, samples: Samples, numbers: range) -> Iterator[Result]:
    """A failing or full disk at random calls on files, or a write that ends half-way; then the same command again."""
    expected, calls, _ = undisturbed(job, samples)
    for number in numbers:
        rng = random.Random(f"{job.name} {number}")
        place = job.prepare(samples)
        kinds: tuple[Kind, ...] = ("EIO", "ENOSPC")
        if number % 3 == 2:
            most = int(2 ** rng.uniform(12, 18))
            case, work = (
                f"{job.name} {number}, no file beyond {most} bytes",
                full_after(job.work(samples, place), most),
            )
        else:
            call = rng.randint(1, calls)
            case = f"{job.name} {number}, {kinds[number % 3]} at call {call} of {calls}"
            work = faulty(job.work(samples, place), place, kinds[number % 3], call)
        found = samples.run(work)
        bad = mishap(found, case)
        after = resumed(job, samples, place, expected, case)
        if bad or after.verdict != "harmless":
            yield bad or after
        else:
            yield Result("detected" if found.code else "harmless", case)


def twice(samples: Samples, numbers: range) -> Iterator[Result]:
    """A second process on a folder in which a first one was frozen in the middle of its work."""
    jobs = list(JOBS.values())
    for number in numbers:
        job = jobs[number % len(jobs)]
        expected, calls, seconds = undisturbed(job, samples)
        place, rng = job.prepare(samples), random.Random(number)
        printed = samples.root / "first.txt"
        call = rng.randint(1, calls)
        first = processes.forked(faulty(job.work(samples, place), place, "freeze", call), printed)
        case = f"two of {job.name}, {number}, the first one at call {call} of {calls}"
        _, status = os.waitpid(first, os.WUNTRACED)
        other = samples.root / "second.txt"
        number_of_second = processes.forked(job.work(samples, place), other)
        time.sleep(seconds)  # the second one may wait for the first one, as for a cache that is being built
        if os.WIFSTOPPED(status):
            os.kill(first, signal.SIGCONT)
            ended = processes.ended(first, printed)
        else:
            ended = Ended(os.waitstatus_to_exitcode(status), printed.read_text(), 0.0, 0)
        second = processes.ended(number_of_second, other)
        bad = mishap(second, case) or mishap(ended, f"{case}: the first")
        after = resumed(job, samples, place, expected, case)
        if bad or after.verdict != "harmless":
            yield bad or after
        else:
            yield Result("detected" if second.code == 2 or ended.code == 2 else "harmless", case)


def clock(samples: Samples, numbers: range) -> Iterator[Result]:
    """The clock jumps by 400 days, forwards or backwards, at a random reading; the result must not depend on it."""
    jobs = list(JOBS.values())
    for number in numbers:
        job, rng = jobs[number % len(jobs)], random.Random(number)
        expected, _, _ = undisturbed(job, samples)
        place, days = job.prepare(samples), rng.choice([-400, 400])
        work = jumping(job.work(samples, place), days * DAY, rng.randint(1, 20))
        case = f"{job.name} {number}, the clock jumps by {days} days"
        found = samples.run(work)
        yield mishap(found, case) or resumed(job, samples, place, expected, case)


def jumping(work: Work, seconds: float, reading: int) -> Work:
    """`work` whose clock jumps at a reading of it."""

    def jumped() -> None:
        count, now, now_ns = 0, time.time, time.time_ns

        def offset() -> float:
            nonlocal count
            count += 1
            return seconds if count >= reading else 0.0

        time.time = lambda: now() + offset()
        time.time_ns = lambda: now_ns() + int(offset()) * 10**9
        work()

    return jumped


SECTIONS = (
    *(
        Section(f"kill -9 of {name}", f"`kill -9`, twice, of {name}", full, quick, partial(kills, JOBS[name]))
        for name, full, quick in zip(KILLED, (50, 50, 50, 50, 50, 50, 12, 6), (2, 2, 2, 2, 2, 2, 1, 1), strict=True)
    ),
    *(
        Section(f"faults of {name}", f"failing and full disks under {name}", full, 3, partial(faults, job))
        for name, job in JOBS.items()
        for full in [9 if name in {"bench", "evaluate"} else 30]
    ),
    Section("two processes", "two processes on one folder", 4 * len(JOBS), 6, twice),
    Section("clock", "a clock that jumps by 400 days", 2 * len(JOBS), 6, clock),
)
