"""Seed ranges of configurations (scenes). No configuration of a demonstration is ever one of a trial.

| seeds            | configurations of                                                             |
|------------------|-------------------------------------------------------------------------------|
| below 40,000,000 | demonstrations                                                                |
| from 40,000,000  | validation: trials by which settings are chosen, as often as one likes        |
| from 50,000,000  | nothing any more: the tests of version 0.1, which 110 evaluations have shown  |
| from 60,000,000  | tests: trials of final tables only                                            |
| from 100,000,000 | demonstrations whose first attempts failed, each 100,000,000 on               |
"""

from typing import Literal

from glam.core.errors import GlamError

Split = Literal["validation", "test"]

FIRST_VALIDATION_SEED = 40_000_000
FIRST_TEST_SEED = 60_000_000
FIRST_SEEDS: dict[Split, int] = {"validation": FIRST_VALIDATION_SEED, "test": FIRST_TEST_SEED}
SPLIT_SIZE = 10_000_000
"""Configurations of each split."""
ATTEMPT_STRIDE = 100_000_000


def scene_seeds(split: Split, first: int, count: int) -> range:
    """Seeds of some scenes of a split, of which `first` is the number of the first one, counted from 0."""
    if not (first >= 0 and count >= 1 and first + count <= SPLIT_SIZE):
        raise GlamError(
            f"--first {first} and --episodes {count}: each split has the scenes 0 to {SPLIT_SIZE - 1}; "
            "--episodes must be at least 1"
        )
    start = FIRST_SEEDS[split] + first
    return range(start, start + count)


def seed_of_attempt(configuration: int, attempt: int) -> int:
    """The seed of a demonstration that is attempted again from another configuration."""
    return configuration + attempt * ATTEMPT_STRIDE
