"""The entries of a table or figure, and how a part of them is chosen."""

from collections.abc import Sequence
from dataclasses import dataclass

from glam.bench.node import Node
from glam.core.errors import GlamError


@dataclass(frozen=True)
class Cell:
    """A node, and what a reader of the table knows it by."""

    node: Node
    task: str
    method: str
    seed: int = 0
    """Of the training."""
    detail: str = ""
    """What tells cells of the same task, method and seed apart."""

    @property
    def title(self) -> str:
        """All of that in one line."""
        return f"{self.task} {self.method}{f' ({self.detail})' if self.detail else ''}, seed {self.seed}"


@dataclass(frozen=True)
class Selection:
    """The part of a grid that is wanted; what is empty restricts nothing."""

    tasks: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()

    def of(self, cells: Sequence[Cell], grid: str) -> list[Cell]:
        """The chosen cells; a name that the grid does not know is refused, and so is a choice of nothing."""
        _require("--tasks", self.tasks, [cell.task for cell in cells], grid)
        _require("--methods", self.methods, [cell.method for cell in cells], grid)
        _require("--seeds", self.seeds, [cell.seed for cell in cells], grid)
        chosen = [cell for cell in cells if self._wants(cell)]
        if not chosen:
            raise GlamError(f"--tasks, --methods and --seeds: {grid} has no cell that is all of these; choose fewer")
        return chosen

    def _wants(self, cell: Cell) -> bool:
        options = ((self.tasks, cell.task), (self.methods, cell.method), (self.seeds, cell.seed))
        return all(not wanted or value in wanted for wanted, value in options)


def _require(flag: str, wanted: Sequence[object], known: Sequence[object], grid: str) -> None:
    for value in wanted:
        if value not in known:
            choices = ", ".join(map(str, dict.fromkeys(known)))
            raise GlamError(f"{flag} {value}: {grid} has {choices}")
