"""The figure of main results: five tasks, every method of the paper, and two of practice."""

from collections.abc import Iterator
from itertools import product

from glam.bench.cell import Cell
from glam.bench.grids.parts import SEEDS, TASKS, UPPER_BOUND, tried

FIRST = ("glam-o", "mip", "retarget", UPPER_BOUND)
"""The question of the figure, and its two ends."""
THEN = ("glam", "lapa-o", "clam-o", "lapa", "clam")


def main() -> Iterator[Cell]:
    """One training of everything before a second one of anything."""
    for seed in SEEDS:
        for methods in (FIRST, THEN):
            for task, method in product(TASKS, methods):
                yield tried(method, task, seed)
