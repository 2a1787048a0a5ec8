"""A new chunk and what is left of the old one."""

import numpy as np
import pytest

from glam_client.action_chunking import ActionChunking
from glam_client.errors import GlamError


def test_common_steps_are_mixed_and_the_others_stay():
    chunk, rest = np.full((5, 2), 10.0), np.zeros((3, 2))
    mixed = ActionChunking(temporal_ensemble_weight=0.25).mixed(chunk, rest)
    np.testing.assert_allclose(mixed[:, 0], [7.5, 7.5, 7.5, 10.0, 10.0])


def test_without_memory_or_without_a_chunk_before_nothing_is_mixed():
    chunk = np.arange(6.0).reshape(3, 2)
    for chunking, rest in (
        (ActionChunking(temporal_ensemble_weight=0.0), np.ones((3, 2))),
        (ActionChunking(), ()),
        (ActionChunking(), np.empty((0, 2))),
    ):
        assert np.array_equal(chunking.mixed(chunk.copy(), rest), chunk)


def test_what_is_not_a_number_stays_visible():
    """A guard refuses it: a mean must not hide it."""
    chunk = np.full((2, 1), np.nan)
    assert np.isnan(ActionChunking().mixed(chunk, np.zeros((2, 1)))).all()


WRONG = [
    ({"n_action_steps": 0}, "--n-action-steps 0"),
    ({"temporal_ensemble_weight": 1.0}, "--temporal-ensemble-weight 1.0"),
    ({"temporal_ensemble_weight": -0.1}, "--temporal-ensemble-weight -0.1"),
    ({"temporal_ensemble_weight": np.nan}, "--temporal-ensemble-weight nan"),
]


@pytest.mark.parametrize(("wrong", "flag"), WRONG)
def test_a_chunking_that_goes_nowhere_is_refused(wrong, flag):
    with pytest.raises(GlamError, match=flag):
        ActionChunking(**wrong)
