"""Independent pieces of work spread over processes that end when their parent does, and callbacks of their progress."""

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Protocol, TypeVar


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
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=end_with, initargs=(os.getpid(),)) as pool:
        futures = [pool.submit(work, item) for item in items]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def end_with(parent: int) -> None:
    """End this process when its parent, of that number, is gone: a killed parent cannot tell its workers to stop."""

    def watch_parent() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch_parent, daemon=True).start()
