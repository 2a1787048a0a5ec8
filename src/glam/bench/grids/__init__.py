"""Grids by name: the tables and figures, as the cells they consist of."""

from collections.abc import Callable, Iterator

from glam.bench.cell import Cell
from glam.bench.grids.ablation import ablation
from glam.bench.grids.heads import heads
from glam.bench.grids.main import main, tasks, with_masks
from glam.bench.grids.policies import policies
from glam.bench.grids.scaling import few_labels, scaling, smoothness
from glam.bench.grids.smoke import smoke
from glam.bench.grids.sources import third_source, transfer
from glam.bench.grids.tuning import tuning
from glam.bench.grids.world_models import world_models
from glam.core.errors import UnknownNameError

GRIDS: dict[str, Callable[[], Iterator[Cell]]] = {
    "main": main,
    "scaling": scaling,
    "few-labels": few_labels,
    "third-source": third_source,
    "transfer": transfer,
    "ablation": ablation,
    "with-masks": with_masks,
    "smoothness": smoothness,
    "world-models": world_models,
    "policies": policies,
    "heads": heads,
    "tuning": tuning,
    "tasks": tasks,
    "smoke": smoke,
}


def find_grid(name: str) -> list[Cell]:
    """The cells of a grid, each once, the most important first."""
    if name not in GRIDS:
        raise UnknownNameError("benchmark", name, list(GRIDS))
    return list(dict.fromkeys(GRIDS[name]()))
