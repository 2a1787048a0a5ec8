"""Who makes the nodes: this process, or processes of this machine. Both find out by its note whether one is done."""

import multiprocessing
import os
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from typing import Protocol

from glam.bench.making import attempt
from glam.bench.node import Node, Workshop
from glam.core.errors import GlamError
from glam.core.workers import end_with


class Engine(Protocol):
    """Makes several nodes at a time, one core each."""

    @property
    def slots(self) -> int:
        """How many."""

    def start(self, node: Node, workshop: Workshop) -> None:
        """Begin to make a node whose needs are done; there are never more than `slots`."""

    def ended(self) -> list[Node]:
        """Wait until at least one of those that were started is done or has failed."""


def local(workers: int) -> Engine:
    """This machine: one by one in this process, or each node in a process of its own."""
    if workers < 1:
        raise GlamError(f"--workers {workers} must be at least 1")
    return _Processes(workers) if workers > 1 else _ThisProcess()


class _ThisProcess:
    slots = 1

    def __init__(self) -> None:
        self._waiting: list[tuple[Node, Workshop]] = []

    def start(self, node: Node, workshop: Workshop) -> None:
        self._waiting.append((node, workshop))

    def ended(self) -> list[Node]:
        node, workshop = self._waiting.pop()
        attempt(node, workshop)
        return [node]


class _Processes:
    """They end when this process does, however it ends."""

    def __init__(self, workers: int) -> None:
        self.slots = workers
        self._processes: dict[Node, SpawnProcess] = {}

    def start(self, node: Node, workshop: Workshop) -> None:
        context = multiprocessing.get_context("spawn")
        process = context.Process(target=_attempt, args=(node, workshop, os.getpid()))
        process.start()
        self._processes[node] = process

    def ended(self) -> list[Node]:
        wait([process.sentinel for process in self._processes.values()])
        over = [node for node, process in self._processes.items() if not process.is_alive()]
        for node in over:
            del self._processes[node]
        return over


def _attempt(node: Node, workshop: Workshop, parent: int) -> None:
    """The work of a child process; what it prints goes to its log."""
    end_with(parent)
    with workshop.log(node).open("a") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    attempt(node, workshop)
