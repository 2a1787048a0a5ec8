import pytest

from glam.core.errors import GlamError
from glam.core.simulated import (
    ATTEMPT_STRIDE,
    FIRST_SEEDS,
    FIRST_TEST_SEED,
    FIRST_VALIDATION_SEED,
    SPLIT_SIZE,
    scene_seeds,
    seed_of_attempt,
)
from glam.stages.collect import MOST_ATTEMPTS


def test_no_attempt_at_a_demonstration_begins_where_a_trial_does():
    kept_for_trials = range(FIRST_VALIDATION_SEED, ATTEMPT_STRIDE)
    for seed in (0, 100_000, FIRST_VALIDATION_SEED - 1):
        seeds = [seed_of_attempt(seed, attempt) for attempt in range(MOST_ATTEMPTS)]
        assert seeds[0] == seed
        assert len(set(seeds)) == MOST_ATTEMPTS
        assert not any(seed in kept_for_trials for seed in seeds)


def test_splits_do_not_overlap_and_the_tests_of_version_0_1_are_in_none():
    validation, test = (scene_seeds(split, 0, SPLIT_SIZE) for split in FIRST_SEEDS)
    assert validation.stop <= 50_000_000
    assert test.start >= 50_000_000 + SPLIT_SIZE
    assert test.stop <= ATTEMPT_STRIDE


def test_scenes_are_counted_from_the_first_of_their_split():
    assert list(scene_seeds("test", 200, 2)) == [FIRST_TEST_SEED + 200, FIRST_TEST_SEED + 201]


@pytest.mark.parametrize(("first", "count"), [(-1, 1), (0, 0), (SPLIT_SIZE, 1), (SPLIT_SIZE - 1, 2)])
def test_scenes_beyond_their_split_are_refused(first, count):
    with pytest.raises(GlamError, match=f"--first {first} and --episodes {count}"):
        scene_seeds("validation", first, count)
