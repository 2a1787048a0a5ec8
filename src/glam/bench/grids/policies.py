"""Every method of stage 2 on stack-two: few labels, both kinds of demonstrations, and all of them labelled."""

from collections.abc import Iterator

from glam.bench.cell import Cell
from glam.bench.grids.parts import SEEDS, UPPER_BOUND, tried


def policies() -> Iterator[Cell]:
    """The grid."""
    for seed in SEEDS:
        yield tried("mip", "stack-two", seed)
        yield tried("glam-o", "stack-two", seed)
    for method in ("retarget", UPPER_BOUND, "glam"):
        yield tried(method, "stack-two")
