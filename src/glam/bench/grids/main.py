"""The figure of main results: five tasks, every method of the paper, and two of practice. Part of it with masks."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from glam.bench.cell import Cell
from glam.bench.grids.parts import RECIPE, SEEDS, TASKS, UPPER_BOUND, WITH_MASKS, policy_by, tested, tried, validated

FIRST = ("glam-o", "mip", "retarget", UPPER_BOUND)
"""The question of the figure, and its two ends."""
THEN = ("glam", "lapa-o", "clam-o", "lapa", "clam")
MASKED_TASKS = ("stack-two", "pick-place")
SEEDS_OF_TASKS = (0, 1)


def main() -> Iterator[Cell]:
    """One training of everything before a second one of anything."""
    for seed in SEEDS:
        for methods in (FIRST, THEN):
            for task, method in product(TASKS, methods):
                yield tried(method, task, seed)


def with_masks() -> Iterator[Cell]:
    """The same with masks for every policy's encoder, through the keypoint loss, on two tasks."""
    for seed in SEEDS:
        for methods in (FIRST, THEN):
            for task, method in product(MASKED_TASKS, methods):
                recipe = policy_by(method, task, seed)
                policy = replace(recipe, changes=(*recipe.changes, *WITH_MASKS))
                yield Cell(tested(policy), task, method, seed, "with masks")


def tasks() -> Iterator[Cell]:
    """The room that each task leaves between few labelled demonstrations and many: `mip` alone, on validation scenes.

    The tasks were made by this table, before any method with latent actions was looked at.
    """
    for seed in SEEDS_OF_TASKS:
        for task, method in product(TASKS, ("mip", UPPER_BOUND)):
            yield Cell(validated(policy_by(method, task, seed, setting=RECIPE)), task, method, seed)
