from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glam.core.errors import GlamError
from glam.data.windows import EpisodeTable, Sampler, StratifiedSampler, transitions

COUNTS = st.integers(1, 40)
SIZES = st.integers(1, 17)
SEEDS = st.integers(-(2**63), 2**63)


def drawn(sampler, steps):
    return np.concatenate([sampler.indices(step) for step in range(steps)])


@given(lengths=st.lists(st.integers(2, 9), min_size=1, max_size=6), size=SIZES, seed=SEEDS)
def test_every_transition_is_visited_once_per_epoch(lengths, size, seed):
    items = transitions(EpisodeTable.of_lengths(lengths))
    sampler = Sampler(items, size, seed)
    visited = drawn(sampler, -(-3 * len(items) // size))
    for epoch in range(3):
        assert sorted(visited[epoch * len(items) : (epoch + 1) * len(items)]) == items.tolist()


@given(count=COUNTS, size=SIZES, seed=SEEDS, steps=st.lists(st.integers(0, 300), min_size=1, max_size=10))
def test_a_step_draws_the_same_whatever_was_drawn_before(count, size, seed, steps):
    used = Sampler(np.arange(count), size, seed)
    for step in steps:
        assert np.array_equal(used.indices(step), Sampler(np.arange(count), size, seed).indices(step))


def test_the_order_is_pinned_so_that_old_runs_resume_exactly():
    sampler = Sampler(np.arange(10), 10, seed=7)
    assert sampler.indices(0).tolist() == [2, 0, 6, 5, 1, 8, 4, 7, 9, 3]
    assert sampler.indices(1_000_000).tolist() == [0, 6, 3, 2, 7, 4, 8, 5, 1, 9]


def test_epochs_seeds_and_streams_are_shuffled_differently():
    items = np.arange(50)
    orders = [Sampler(items, 50, seed, stream).indices(step) for seed in (0, 1) for stream in (0, 1) for step in (0, 1)]
    assert len({tuple(order) for order in orders}) == 8


def test_every_item_comes_first_equally_often():
    first = Counter(Sampler(np.arange(4), 4, seed=0).indices(step)[0] for step in range(4000))
    assert min(first.values()) > 900  # 1000 expected, with a deviation of 27


def test_an_empty_source_or_batch_is_refused():
    with pytest.raises(GlamError, match="no items"):
        Sampler(np.arange(0), 4, seed=0)
    with pytest.raises(GlamError, match="batches of 0"):
        Sampler(np.arange(3), 0, seed=0)


@given(counts=st.lists(COUNTS, min_size=1, max_size=4), seed=SEEDS, data=st.data())
def test_stratified_batches_have_fixed_sizes_and_visit_each_source_evenly(counts, seed, data):
    shares = data.draw(st.lists(st.floats(0.5, 2.0), min_size=len(counts), max_size=len(counts)))
    sources = [100 * i + np.arange(count) for i, count in enumerate(counts)]
    sampler = StratifiedSampler(sources, shares, 16, seed)
    batches = [sampler.indices(step) for step in range(30)]
    assert sum(sampler.sizes) == 16
    for i, items in enumerate(sources):
        assert all(len(batch[i]) == sampler.sizes[i] for batch in batches)
        visits = Counter(np.concatenate([batch[i] for batch in batches]).tolist())
        assert set(visits) <= set(items.tolist())
        assert max(visits.values()) - min(visits.get(item, 0) for item in items.tolist()) <= 1


@pytest.mark.parametrize(
    ("shares", "size", "sizes"),
    [
        ((1, 1), 8, (4, 4)),
        ((0.5, 0.5), 9, (5, 4)),
        ((1, 2, 1), 10, (3, 5, 2)),
        ((1, 3), 4, (1, 3)),
        ((20, 80), 5, (1, 4)),
        ((1, 100), 8, (1, 7)),
        ((1, 500, 2, 500), 8, (1, 3, 1, 3)),
        ((1, 1e-9, 1e-9), 3, (1, 1, 1)),
    ],
)
def test_shares_become_whole_numbers_that_fill_the_batch(shares, size, sizes):
    assert StratifiedSampler([np.arange(9)] * len(shares), shares, size, seed=0).sizes == sizes


@pytest.mark.parametrize("shares", [(1.0, 0.0), (1.0, -1.0), (1.0, float("nan")), (1.0, float("inf"))])
def test_shares_that_are_not_positive_are_refused(shares):
    with pytest.raises(GlamError, match="share above 0"):
        StratifiedSampler([np.arange(9)] * 2, shares, 8, seed=0)


def test_a_batch_with_less_items_than_sources_is_refused():
    with pytest.raises(GlamError, match="batches of 2 items from 3 sources; at least one of each"):
        StratifiedSampler([np.arange(9)] * 3, (1, 1, 1), 2, seed=0)


@given(shares=st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=6), extra=st.integers(0, 20))
def test_every_source_has_a_place_in_every_batch(shares, extra):
    sizes = StratifiedSampler([np.arange(9)] * len(shares), shares, len(shares) + extra, seed=0).sizes
    assert min(sizes) >= 1
    assert sum(sizes) == len(shares) + extra


def test_sources_of_equal_size_are_drawn_independently():
    left, right = StratifiedSampler([np.arange(64)] * 2, (1, 1), 128, seed=0).indices(0)
    assert sorted(left) == sorted(right)
    assert not np.array_equal(left, right)
