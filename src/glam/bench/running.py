"""Make what is missing of a grid, several nodes at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from glam.bench.engines import Engine
from glam.bench.node import Node, Workshop, ordered
from glam.core.errors import GlamError
from glam.core.files import exclusive


@dataclass(frozen=True)
class State:
    """How far a grid is."""

    done: tuple[Node, ...]
    running: tuple[Node, ...]
    left: tuple[Node, ...]
    """Neither begun nor failed."""
    failed: tuple[Node, ...]
    """With those that need them."""


OnState = Callable[[State], None]


def run(nodes: Sequence[Node], workshop: Workshop, engine: Engine, on_state: OnState) -> None:
    """Make every node and what it needs; what is done is left alone.

    A node that fails takes along only those that need it; at the end the failures are told in one sentence.
    """
    busy = f"{workshop.root}: another benchmark is running there; wait for it, or give another --root"
    with exclusive(workshop.root / ".lock", busy):
        workshop.logs.mkdir(exist_ok=True)
        failed = _Runner(ordered(nodes), workshop, on_state).run(engine)
    if failed:
        raise GlamError(f"{len(failed)} runs failed; the first one left its reasons in {workshop.log(failed[0])}")


class _Runner:
    def __init__(self, nodes: Sequence[Node], workshop: Workshop, on_state: OnState) -> None:
        self._workshop, self._on_state = workshop, on_state
        self._done = [node for node in nodes if workshop.is_done(node)]
        self._left = [node for node in nodes if not workshop.is_done(node)]
        self._running: list[Node] = []
        self._failed: list[Node] = []

    def run(self, engine: Engine) -> list[Node]:
        """Until nothing can be done any more; returns the failures, causes first."""
        while True:
            self._drop_hopeless()
            for node in self._ready()[: engine.slots - len(self._running)]:
                self._left.remove(node)
                self._running.append(node)
                engine.start(node, self._workshop)
            self._on_state(State(*map(tuple, (self._done, self._running, self._left, self._failed))))
            if not self._running:
                return self._failed
            for node in engine.ended():
                self._running.remove(node)
                # The note, not the exit code, tells that a node is done: it is what a later run goes by.
                (self._done if self._workshop.is_done(node) else self._failed).append(node)

    def _ready(self) -> list[Node]:
        return [node for node in self._left if all(need in self._done for need in node.needs)]

    def _drop_hopeless(self) -> None:
        """In one pass, as nodes come after what they need."""
        for node in list(self._left):
            if any(need in self._failed for need in node.needs):
                self._left.remove(node)
                self._failed.append(node)
