"""A new chunk and what is left of the old one."""

import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.core.horizon import Horizon


def test_common_steps_are_mixed_and_the_others_stay():
    chunk, rest = np.full((5, 2), 10.0), np.zeros((3, 2))
    mixed = Horizon(memory=0.25).mixed(chunk, rest)
    np.testing.assert_allclose(mixed[:, 0], [7.5, 7.5, 7.5, 10.0, 10.0])


def test_without_memory_or_without_a_chunk_before_nothing_is_mixed():
    chunk = np.arange(6.0).reshape(3, 2)
    for horizon, rest in ((Horizon(memory=0.0), np.ones((3, 2))), (Horizon(), ()), (Horizon(), np.empty((0, 2)))):
        assert np.array_equal(horizon.mixed(chunk.copy(), rest), chunk)


def test_what_is_not_a_number_stays_visible():
    """A guard refuses it: a mean must not hide it."""
    chunk = np.full((2, 1), np.nan)
    assert np.isnan(Horizon().mixed(chunk, np.zeros((2, 1)))).all()


WRONG = [
    ({"execute": 0}, "--execute 0"),
    ({"memory": 1.0}, "--memory 1.0"),
    ({"memory": -0.1}, "--memory -0.1"),
    ({"memory": np.nan}, "--memory nan"),
]


@pytest.mark.parametrize(("wrong", "flag"), WRONG)
def test_a_horizon_that_goes_nowhere_is_refused(wrong, flag):
    with pytest.raises(GlamError, match=flag):
        Horizon(**wrong)
