"""Cells, the entries of a table or figure, and the selection of a part of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from glam.bench.run import BenchRun
from glam.core.errors import GlamError


@dataclass(frozen=True)
class Cell:
    """A run, with the names by which a reader of the table knows it."""

    run: BenchRun
    task: str
    method: str
    seed: int = 0
    """Training seed."""
    detail: str = ""
    """Distinguishes cells of the same task, method and seed."""

    @property
    def title(self) -> str:
        """All names in one line."""
        return f"{self.task} {self.method}{f' ({self.detail})' if self.detail else ''}, seed {self.seed}"


@dataclass(frozen=True)
class Selection:
    """A part of a grid; an empty field selects everything."""

    tasks: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    details: tuple[str, ...] = ()
    """Beginnings of details, up to a colon or a comma: `own frame` is also `own frame, aligned`."""

    def of(self, cells: Sequence[Cell], grid: str) -> list[Cell]:
        """The chosen cells; unknown names and an empty choice are refused."""
        _require("--tasks", self.tasks, [cell.task for cell in cells], grid)
        _require("--methods", self.methods, [cell.method for cell in cells], grid)
        _require("--seeds", self.seeds, [cell.seed for cell in cells], grid)
        for wanted in self.details:
            if not any(_begins(cell.detail, wanted) for cell in cells):
                known = dict.fromkeys(cell.detail.partition(":")[0] for cell in cells)
                raise GlamError(f"--details {wanted}: {grid} has {'; '.join(filter(None, known)) or 'none'}")
        chosen = [cell for cell in cells if self._wants(cell)]
        if not chosen:
            raise GlamError(
                f"--tasks, --methods, --seeds and --details: {grid} has no cell that is all of these; choose fewer"
            )
        return chosen

    def _wants(self, cell: Cell) -> bool:
        options = ((self.tasks, cell.task), (self.methods, cell.method), (self.seeds, cell.seed))
        is_detail = not self.details or any(_begins(cell.detail, wanted) for wanted in self.details)
        return is_detail and all(not wanted or value in wanted for wanted, value in options)


def _begins(detail: str, wanted: str) -> bool:
    return detail == wanted or detail.startswith((f"{wanted}:", f"{wanted},"))


def _require(flag: str, wanted: Sequence[object], known: Sequence[object], grid: str) -> None:
    for value in wanted:
        if value not in known:
            choices = ", ".join(map(str, dict.fromkeys(known)))
            raise GlamError(f"{flag} {value}: {grid} has {choices}")
