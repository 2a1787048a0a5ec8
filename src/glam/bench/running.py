"""Make what is missing of a grid, several nodes at a time, each in a process of its own (one by one in this one)."""

import multiprocessing
import os
import platform
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess

from glam.bench.node import Node, Workshop, ordered
from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.core.files import exclusive, write_json
from glam.core.workers import end_with
from glam.training.machine import versions


@dataclass(frozen=True)
class State:
    """How far a grid is."""

    done: tuple[Node, ...]
    running: tuple[Node, ...]
    left: tuple[Node, ...]
    """Neither begun nor failed."""
    failed: tuple[Node, ...]
    """With those that need them."""


Watch = Callable[[State], None]


def run(cells: Sequence[Node], workshop: Workshop, workers: int, watch: Watch) -> None:
    """Make every cell and what it needs; what is done is left alone.

    A node that fails takes along only those that need it; at the end the failures are told in one sentence.
    """
    busy = f"{workshop.root}: another benchmark is running there; wait for it, or give another --root"
    with exclusive(workshop.root / ".lock", busy):
        workshop.logs.mkdir(exist_ok=True)
        failed = _Runner(ordered(cells), workshop, watch).run(workers)
    if failed:
        raise GlamError(f"{len(failed)} runs failed; the first one left its reasons in {workshop.log(failed[0])}")


class _Runner:
    def __init__(self, nodes: Sequence[Node], workshop: Workshop, watch: Watch) -> None:
        self._workshop, self._watch = workshop, watch
        self._done = [node for node in nodes if workshop.is_done(node)]
        self._left = [node for node in nodes if not workshop.is_done(node)]
        self._running: dict[Node, SpawnProcess | None] = {}  # None: in this process
        self._failed: list[Node] = []

    def run(self, workers: int) -> list[Node]:
        """Until nothing can be done any more; returns the failures, causes first."""
        while True:
            self._drop_hopeless()
            starting = self._ready()[: workers - len(self._running)]
            for node in starting:
                self._left.remove(node)
                self._running[node] = _started(node, self._workshop) if workers > 1 else None
            self._watch(State(tuple(self._done), tuple(self._running), tuple(self._left), tuple(self._failed)))
            if not self._running:
                return self._failed
            if workers == 1:
                _attempt(starting[0], self._workshop)
            else:
                wait([process.sentinel for process in self._running.values() if process])
            self._collect()

    def _ready(self) -> list[Node]:
        return [node for node in self._left if all(need in self._done for need in node.needs)]

    def _drop_hopeless(self) -> None:
        """In one pass, as nodes come after what they need."""
        for node in list(self._left):
            if any(need in self._failed for need in node.needs):
                self._left.remove(node)
                self._failed.append(node)

    def _collect(self) -> None:
        for node, process in list(self._running.items()):
            if process and process.is_alive():
                continue
            del self._running[node]
            # The note, not the exit code, tells that a node is done: it is what a later run goes by.
            (self._done if self._workshop.is_done(node) else self._failed).append(node)


def _started(node: Node, workshop: Workshop) -> SpawnProcess:
    process = multiprocessing.get_context("spawn").Process(target=_make, args=(node, workshop, os.getpid()))
    process.start()
    return process


def _make(node: Node, workshop: Workshop, parent: int) -> None:
    """The work of a child process; what it prints goes to its log."""
    end_with(parent)
    with workshop.log(node).open("a") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    _attempt(node, workshop)


def _attempt(node: Node, workshop: Workshop) -> None:
    """Make a node; why it failed, if it did, stands in its log."""
    try:
        make(node, workshop)
    except Exception as error:
        reason = str(error) if isinstance(error, GlamError) else traceback.format_exc()
        with workshop.log(node).open("a") as log:
            log.write(f"{reason}\n")


def make(node: Node, workshop: Workshop) -> None:
    """Make one node in this process, and write its note."""
    begin, load = time.monotonic(), os.getloadavg()[0]
    result = node.make(workshop.place(node), workshop.place)
    seconds = max(time.monotonic() - begin, result.get("training_seconds", 0.0))  # of all attempts, where that is known
    note = {
        "kind": node.kind,
        "title": node.title,
        "name": node.name,
        "node": to_json(node),
        "needs": [need.name for need in node.needs],
        "result": result,
        "seconds": round(seconds, 1),
        "load_average": [round(load, 1), round(os.getloadavg()[0], 1)],
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "versions": versions()},
    }
    write_json(workshop.note(node), note)
