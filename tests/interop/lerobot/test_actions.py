import numpy as np
from tests.interop.lerobot.foreign import joints

from glam.interop.lerobot.actions import follow_state

STATES = [joints(k) for k in range(3)]


def later(states):
    return [np.vstack([part[1:], part[-1:]]) for part in states]


def test_targets_run_along_with_the_state():
    assert follow_state(later(STATES), STATES)
    noisy = [part + 0.05 * np.random.default_rng(0).standard_normal(part.shape) * part.std(0) for part in later(STATES)]
    assert follow_state(noisy, STATES)


def test_delta_actions_do_not():
    assert not follow_state([np.diff(part, axis=0, append=part[-1:]) for part in STATES], STATES)


def test_targets_in_another_unit_are_not_taken_for_targets():
    assert not follow_state([part * 100.0 for part in later(STATES)], STATES)


def test_an_entry_that_never_moves_has_no_say():
    still = [np.hstack([part, np.ones((len(part), 1))]) for part in STATES]
    assert follow_state(later(still), still)
    assert not follow_state([np.ones((5, 2))], [np.ones((5, 2))])


def test_actions_of_another_size_than_the_state_tell_nothing():
    assert not follow_state([part[:, :2] for part in STATES], STATES)
