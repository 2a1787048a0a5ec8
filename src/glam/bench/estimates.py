"""How long the nodes of a grid take: as measured where they are done, else as others of their kind took."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from glam.bench.node import Node, Workshop
from glam.core.files import read_json


@dataclass(frozen=True)
class Estimates:
    """Seconds of one core."""

    measured: dict[Node, float]
    rates: dict[str, float]
    """Seconds of a node of size 1, by kind."""

    @classmethod
    def of(cls, nodes: Sequence[Node], workshop: Workshop) -> "Estimates":
        """Of these nodes, by those among them that are done."""
        measured = {node: float(read_json(workshop.note(node))["seconds"]) for node in nodes if workshop.is_done(node)}
        rates = defaultdict(list)
        for node, seconds in measured.items():
            rates[node.kind].append(seconds / node.size)
        return cls(measured, {kind: median(found) for kind, found in rates.items()})

    def seconds(self, node: Node) -> float:
        """What a node took, or is likely to take."""
        return self.measured.get(node, self.rates.get(node.kind, node.seconds) * node.size)

    def hours(self, nodes: Sequence[Node], slots: int) -> float:
        """Of that many cores, for all these nodes."""
        return sum(self.seconds(node) for node in nodes) / slots / 3600
