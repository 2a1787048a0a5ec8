"""One thing to be made for a benchmark, such as a dataset or a trained model, and where it lies."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from glam.core.configs import digest

Place = Callable[["Node"], Path]
"""Folder of what a node has made."""


class Node(ABC):
    """A function of its settings and of the nodes it needs; nodes are frozen dataclasses, equal when these are."""

    kind: ClassVar[str]
    seconds: ClassVar[float]
    """What a node of size 1 takes on one core, before any of its kind has been measured."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What a reader calls it."""

    @property
    def stem(self) -> str:
        """What the name of its folder begins with. Results exist under such names: a title may change, a stem not."""
        return self.title

    @property
    def needs(self) -> tuple["Node", ...]:
        """What must be made before."""
        return ()

    @property
    @abstractmethod
    def settings(self) -> Any:
        """Everything that shapes it besides what it needs; a config."""

    @property
    def size(self) -> float:
        """How much work it is, compared with others of its kind."""
        return 1.0

    @property
    def learnt_from(self) -> tuple["SourceSize", ...]:
        """What is learnt from on the way to it, the labelled target first."""
        return ()

    @abstractmethod
    def make(self, folder: Path, place: Place) -> dict[str, Any]:
        """Make it in `folder`, going on where an interruption left off; returns what the record tells."""

    @cached_property
    def name(self) -> str:
        """Of its folder: other settings have another name, so that nothing is ever taken for something else."""
        needs = [need.name for need in self.needs]
        return f"{self.stem}-{digest({'kind': self.kind, 'settings': self.settings, 'needs': needs})[:8]}"


@dataclass(frozen=True)
class SourceSize:
    """Demonstrations of one source."""

    embodiment: str
    episodes: int
    """Those learnt from: held-out ones are not counted."""


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


def ordered(nodes: Sequence[Node]) -> list[Node]:
    """All nodes that these consist of, each once and after what it needs, early ones first."""
    found: dict[Node, None] = {}
    for node in _depth_first(nodes):
        found.setdefault(node)
    return list(found)


def _depth_first(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield from _depth_first(node.needs)
        yield node
