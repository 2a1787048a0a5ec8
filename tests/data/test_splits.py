import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glam.core.errors import GlamError
from glam.data.demonstrations import hold_out
from glam.data.windows import EpisodeTable

TABLE = EpisodeTable.of_lengths(range(2, 42))


def numbers(table):
    return tuple(np.searchsorted(TABLE.starts, table.starts).tolist())


@given(
    lengths=st.lists(st.integers(1, 9), min_size=2, max_size=50),
    fraction=st.floats(0.01, 0.99),
    seed=st.integers(),
)
def test_every_episode_is_on_exactly_one_side(lengths, fraction, seed):
    table = EpisodeTable.of_lengths(lengths)
    train, held_out = hold_out(table, "content", fraction, seed)
    assert sorted([*train.frame_indices.tolist(), *held_out.frame_indices.tolist()]) == table.frame_indices.tolist()
    assert min(len(train), len(held_out)) >= 1
    assert abs(len(held_out) - fraction * len(table)) <= 1


def test_the_split_depends_on_seed_and_content_alone():
    splits = {
        (content, seed): numbers(hold_out(TABLE, content, 0.25, seed).held_out)
        for content in ("a", "b")
        for seed in (0, 1)
    }
    assert len(set(splits.values())) == 4
    assert numbers(hold_out(TABLE, "a", 0.25, 0).held_out) == splits["a", 0]


def test_the_split_is_pinned_so_that_old_probes_stay_valid():
    assert numbers(hold_out(TABLE, "content", 0.1, 0).held_out) == (8, 12, 23, 30)


def test_a_larger_fraction_holds_out_the_same_episodes_and_more():
    small, large = (set(numbers(hold_out(TABLE, "content", fraction, 3).held_out)) for fraction in (0.1, 0.3))
    assert small < large


def test_a_tenth_is_a_tenth():
    assert len(hold_out(TABLE, "content", 0.1, 0).held_out) == 4


@pytest.mark.parametrize("fraction", [0.0, 1.0, -0.1, float("nan")])
def test_fractions_that_leave_a_side_empty_are_refused(fraction):
    with pytest.raises(GlamError, match="between 0 and 1"):
        hold_out(TABLE, "content", fraction, 0)


def test_a_single_episode_cannot_be_split():
    with pytest.raises(GlamError, match="1 episodes; at least 2"):
        hold_out(EpisodeTable.of_lengths([5]), "content", 0.5, 0)
