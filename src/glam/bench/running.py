"""Make the missing runs of a grid, several at a time: in this process, or in processes of this machine."""

import multiprocessing
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from typing import Protocol

from glam.bench.run import BenchRun, RunStore, ordered
from glam.core.errors import GlamError
from glam.core.files import exclusive
from glam.core.workers import end_with, shielding


@dataclass(frozen=True)
class GridState:
    """Runs of a grid, by how far they are."""

    done: tuple[BenchRun, ...]
    running: tuple[BenchRun, ...]
    left: tuple[BenchRun, ...]
    """Neither begun nor failed."""
    failed: tuple[BenchRun, ...]
    """Including runs that need a failed one."""


OnState = Callable[[GridState], None]


class Engine(Protocol):
    """Makes several runs at a time. A run record shows whether a run is done."""

    @property
    def slots(self) -> int:
        """Number of cores."""

    @property
    def most_cores(self) -> int:
        """Most cores of one run."""

    def start(self, run: BenchRun, store: RunStore, cores: int) -> None:
        """Begin a run whose needs are done; the cores of all started runs are never more than `slots`."""

    def ended(self) -> list[BenchRun]:
        """Wait until at least one of the started runs is done or has failed."""

    def stop(self) -> None:
        """End the started runs early; trainings save what they have done."""


def local_engine(workers: int) -> Engine:
    """This machine: one run after the other in this process, or each run in a process of its own."""
    if workers < 1:
        raise GlamError(f"--workers {workers} must be at least 1")
    return _Processes(workers) if workers > 1 else _ThisProcess()


def run_all(runs: Sequence[BenchRun], store: RunStore, engine: Engine, on_state: OnState) -> None:
    """Make every run and what it needs; finished runs are kept.

    A run has one core, and one that can spread has all that are free when it begins.
    A failed run stops only the runs that need it. At the end one sentence names the failures.
    """
    busy = f"{store.root}: another benchmark is running there; wait for it, or give another folder"
    with exclusive(store.root / ".lock", busy):
        store.logs.mkdir(exist_ok=True)
        try:
            failed = _Scheduler(ordered(runs), store, on_state).run(engine)
        except BaseException:
            engine.stop()
            raise
    if failed:
        raise GlamError(f"{len(failed)} runs failed; {_whereabouts(store, failed[0])}")


def _whereabouts(store: RunStore, run: BenchRun) -> str:
    log = store.log(run)
    if log.exists() and log.stat().st_size:
        return f"see the reasons of the first one in {log}"
    return f"the first one wrote nothing to {log}: it was killed, or the disk is full"


class _Scheduler:
    def __init__(self, runs: Sequence[BenchRun], store: RunStore, on_state: OnState) -> None:
        self._store, self._on_state = store, on_state
        self._done = [run for run in runs if store.is_done(run)]
        self._left = [run for run in runs if not store.is_done(run)]
        self._running: dict[BenchRun, int] = {}  # with its cores
        self._failed: list[BenchRun] = []

    def run(self, engine: Engine) -> list[BenchRun]:
        """Work until nothing is left that can be done; returns the failures, causes first."""
        while True:
            self._drop_hopeless()
            for run in self._ready():
                free = engine.slots - sum(self._running.values())
                if not free:
                    break
                self._left.remove(run)
                self._running[run] = min(free, engine.most_cores) if run.can_spread else 1
                engine.start(run, self._store, self._running[run])
            self._on_state(GridState(*map(tuple, (self._done, self._running, self._left, self._failed))))
            if not self._running:
                return self._failed
            for run in engine.ended():
                del self._running[run]
                # The run record, not the exit code, shows that a run is done: it is what a resumed benchmark goes by.
                (self._done if self._store.is_done(run) else self._failed).append(run)

    def _ready(self) -> list[BenchRun]:
        return [run for run in self._left if all(need in self._done for need in run.needs)]

    def _drop_hopeless(self) -> None:
        """One pass is enough, as runs come after what they need."""
        for run in list(self._left):
            if any(need in self._failed for need in run.needs):
                self._left.remove(run)
                self._failed.append(run)


class _ThisProcess:
    slots = most_cores = 1

    def __init__(self) -> None:
        self._waiting: list[tuple[BenchRun, RunStore]] = []

    def start(self, run: BenchRun, store: RunStore, cores: int) -> None:
        del cores
        self._waiting.append((run, store))

    def ended(self) -> list[BenchRun]:
        run, store = self._waiting.pop()
        store.attempt(run)
        return [run]

    def stop(self) -> None:
        self._waiting.clear()


class _Processes:
    """Child processes; they end when this process does, however it ends."""

    def __init__(self, workers: int) -> None:
        self.slots = self.most_cores = workers
        self._processes: dict[BenchRun, SpawnProcess] = {}

    def start(self, run: BenchRun, store: RunStore, cores: int) -> None:
        context = multiprocessing.get_context("spawn")
        process = context.Process(target=_attempt, args=(run, store, os.getpid(), cores))
        with shielding():
            process.start()
        self._processes[run] = process

    def ended(self) -> list[BenchRun]:
        wait([process.sentinel for process in self._processes.values()])
        over = [run for run, process in self._processes.items() if not process.is_alive()]
        for run in over:
            del self._processes[run]
        return over

    def stop(self) -> None:
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            process.join()


def _attempt(run: BenchRun, store: RunStore, parent: int, cores: int) -> None:
    """Work of a child process; its output goes to the log of the run."""
    end_with(parent)
    with suppress(OSError), store.log(run).open("a") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    try:
        store.attempt(run, cores)
    except KeyboardInterrupt as interruption:
        with suppress(OSError):
            store.write_log(run, f"interrupted {interruption}".strip())
