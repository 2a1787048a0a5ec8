from glam.core.seeds import FIRST_TEST_SEED, FIRST_VALIDATION_SEED, seed_of_attempt
from glam.stages.collect import MOST_ATTEMPTS


def test_no_attempt_at_a_demonstration_begins_where_a_trial_does():
    kept_for_trials = range(FIRST_VALIDATION_SEED, 2 * FIRST_TEST_SEED)
    for configuration in (0, 100_000, FIRST_VALIDATION_SEED - 1):
        seeds = [seed_of_attempt(configuration, attempt) for attempt in range(MOST_ATTEMPTS)]
        assert seeds[0] == configuration
        assert len(set(seeds)) == MOST_ATTEMPTS
        assert not any(seed in kept_for_trials for seed in seeds)


def test_validation_and_tests_have_room_of_their_own():
    assert FIRST_VALIDATION_SEED + 1_000_000 < FIRST_TEST_SEED
