"""Independent pieces of work spread over processes that end when their parent does, and callbacks of their progress."""

import multiprocessing
import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing.resource_tracker import ensure_running
from pathlib import Path
from typing import Protocol, TypeVar

from glam.core.errors import GlamError


class Progress(Protocol):
    """Callback that takes the work done so far and all of it, in the same unit."""

    def __call__(self, done: int, total: int) -> None:
        """Report."""


def no_progress(done: int, total: int) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class Part:
    """Callback of one of several pieces of work that are shown as one."""

    whole: Progress
    before: int
    """Work done in the pieces before this one."""
    total: int
    """Work of all pieces together."""

    def __call__(self, done: int, total: int) -> None:
        """Report this piece's work on top of what was done before."""
        del total
        self.whole(self.before + done, self.total)


Item = TypeVar("Item")
Result = TypeVar("Result")


def spread(work: Callable[[Item], Result], items: Iterable[Item], workers: int) -> Iterator[Result]:
    """Results of `work` in the order they come, made by `workers` processes (in this process when it is one).

    Processes are spawned, not forked: graphics and thread pools do not survive a fork.
    """
    if workers == 1:
        yield from map(work, items)
        return
    context, others = multiprocessing.get_context("spawn"), set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=end_with, initargs=(os.getpid(),))
    try:
        yield from _results(pool, work, iter(items), _AHEAD * workers)
    except (KeyboardInterrupt, GeneratorExit):  # nobody waits for the results any more
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    except BrokenProcessPool:
        raise GlamError(
            "a worker process was killed, perhaps for lack of memory; nothing that was saved is lost: run the command "
            "again, with fewer --workers"
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class Pool(Protocol):
    """Other machines over which work can be spread (`glam.core.on_ray`)."""

    @property
    def workers(self) -> int:
        """Pieces that are done at a time."""

    def spread(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Results of `work` in the order they come; a piece may be done twice."""


def pieces(count: int, length: int) -> Iterator[range]:
    """The numbers below `count`, in ranges of at most `length`."""
    return (range(first, min(first + length, count)) for first in range(0, count, length))


_AHEAD = 4
"""Pieces of work for each process that are handed over before the first is done; there may be millions of them."""


def _results(
    pool: ProcessPoolExecutor, work: Callable[[Item], Result], items: Iterator[Item], most: int
) -> Iterator[Result]:
    waiting: set[Future[Result]] = set()
    while True:
        with shielding():  # processes begin when they are needed
            waiting |= {pool.submit(work, item) for item in islice(items, most - len(waiting))}
        if not waiting:
            return
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            yield future.result()


@contextmanager
def shielding() -> Iterator[None]:
    """Start processes inside, which Ctrl-C will not reach, though a terminal sends it to all: their starter ends them.

    A signal that comes meanwhile waits until they are started: one that is half started would complain.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ensure_running()  # of multiprocessing: to start it unblocks signals
    waiting: list[int] = []
    handler = signal.signal(signal.SIGTERM, lambda number, _: waiting.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # a new process inherits what is blocked
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGTERM, handler)
        for number in waiting:
            signal.raise_signal(number)


def end_with(parent: int) -> None:
    """End this process when its parent, of that number, is gone: a killed parent cannot tell its workers to stop."""

    def watch_parent() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch_parent, daemon=True).start()


def restrict(memory: int, seconds: int = 0) -> None:
    """From here on this process writes no file and takes at most so many more bytes, and seconds of a processor.

    For processes that read what others made.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if seconds:
        used = round(time.process_time())
        resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, used + seconds + 1))
    pages = Path("/proc/self/statm")
    if pages.exists():
        most = int(pages.read_text().split()[0]) * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
