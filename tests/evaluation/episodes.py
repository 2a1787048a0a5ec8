"""Episode records for the tests."""

from collections.abc import Sequence
from dataclasses import replace

from glam.evaluation.evaluations import RolloutRecord
from glam.evaluation.motion import Smoothness

SUCCESS = RolloutRecord(
    task="stack-two",
    method="glam-o",
    embodiment="kinova",
    training_seed=0,
    split="validation",
    test_seed=100_000,
    is_success=True,
    steps=93,
    failed_stage="none",
    failure="",
    smoothness=(Smoothness(jerk=-19.5, fft=0.0021),),
)
FAILURE = replace(SUCCESS, is_success=False, steps=160, failed_stage="place", failure="red fell beside blue")


def run(outcomes: Sequence[bool], method: str = "glam-o", seed: int = 0, start: int = 100_000) -> list[RolloutRecord]:
    """One episode after the other, with consecutive test seeds."""
    kinds = (SUCCESS if is_success else FAILURE for is_success in outcomes)
    return [
        replace(kind, method=method, training_seed=seed, test_seed=start + index) for index, kind in enumerate(kinds)
    ]
