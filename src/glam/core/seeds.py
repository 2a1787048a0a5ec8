"""Seed ranges of configurations. No configuration of a demonstration is ever one of a trial.

| seeds                      | configurations of                                              |
|----------------------------|----------------------------------------------------------------|
| below 40,000,000           | demonstrations                                                 |
| from 40,000,000            | trials by which settings are chosen                            |
| from 50,000,000            | tests                                                          |
| from 100,000,000           | demonstrations whose first attempts failed, each 100,000,000 on |
"""

FIRST_VALIDATION_SEED = 40_000_000
FIRST_TEST_SEED = 50_000_000
ATTEMPT_STRIDE = 100_000_000


def seed_of_attempt(configuration: int, attempt: int) -> int:
    """The seed of a demonstration that is attempted again from another configuration."""
    return configuration + attempt * ATTEMPT_STRIDE
