"""One thing to be made for a benchmark, such as a dataset or a trained model, and where it lies."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from glam.core.configs import digest
from glam.core.files import read_json

Place = Callable[["Node"], Path]
"""Folder of what a node has made."""


class Node(ABC):
    """A function of its settings and of the nodes it needs; nodes are frozen dataclasses, equal when these are."""

    kind: ClassVar[str]
    seconds: ClassVar[float]
    """What one takes on one core, before any of its kind has been measured."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What a reader calls it."""

    @property
    def needs(self) -> tuple["Node", ...]:
        """What must be made before."""
        return ()

    @property
    @abstractmethod
    def settings(self) -> Any:
        """Everything that shapes it besides what it needs; a config."""

    @abstractmethod
    def make(self, folder: Path, place: Place) -> dict[str, Any]:
        """Make it in `folder`, going on where an interruption left off; returns what the record tells."""

    @property
    def name(self) -> str:
        """Of its folder: other settings have another name, so that nothing is ever taken for something else."""
        needs = [need.name for need in self.needs]
        return f"{self.title}-{digest({'kind': self.kind, 'settings': self.settings, 'needs': needs})[:8]}"


@dataclass(frozen=True)
class Workshop:
    """The folder in which nodes are made. A node is done when it has a note, which is written last."""

    root: Path

    def place(self, node: Node) -> Path:
        """Folder of a node."""
        return self.root / node.kind / node.name

    def note(self, node: Node) -> Path:
        """What is told of a node that is done."""
        return self.root / "notes" / f"{node.kind}.{node.name}.json"

    @property
    def logs(self) -> Path:
        """Folder of the logs."""
        return self.root / "logs"

    def log(self, node: Node) -> Path:
        """What a node printed while it was made, and why it failed."""
        return self.logs / f"{node.kind}.{node.name}.log"

    def is_done(self, node: Node) -> bool:
        """Whether nothing is left to do for this node."""
        return self.note(node).exists()

    def seconds(self, node: Node) -> float:
        """What a node took, or is likely to take: the mean of its kind so far."""
        if self.is_done(node):
            return float(read_json(self.note(node))["seconds"])
        measured = [read_json(path)["seconds"] for path in sorted(self.root.glob(f"notes/{node.kind}.*.json"))]
        return sum(measured) / len(measured) if measured else node.seconds


def ordered(cells: Sequence[Node]) -> list[Node]:
    """All nodes that the cells consist of, each once and after what it needs, early cells first."""
    found: dict[Node, None] = {}
    for node in _depth_first(cells):
        found.setdefault(node)
    return list(found)


def _depth_first(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield from _depth_first(node.needs)
        yield node
