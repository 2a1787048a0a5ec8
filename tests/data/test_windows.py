import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from glam.core.errors import GlamError
from glam.data.windows import EpisodeTable, action_chunks, latent_chunks, transitions, window_indices, windows


@st.composite
def tables(draw, shortest=1):
    """Some of the episodes of a set, so that there are rows that belong to none."""
    lengths = draw(st.lists(st.integers(shortest, 9), min_size=1, max_size=8))
    chosen = draw(st.sets(st.integers(0, len(lengths) - 1), min_size=1))
    return EpisodeTable.of_lengths(lengths).select(list(chosen))


def owner(table, row):
    """The episode of a row by looking at each, or -1."""
    spans = zip(table.starts, table.ends, strict=True)
    return next((i for i, (start, end) in enumerate(spans) if start <= row < end), -1)


@given(table=tables())
def test_rows_are_known_by_their_episode(table):
    everything = range(int(table.ends[-1]) + 2)
    assert table.frame_indices.tolist() == [row for row in everything if owner(table, row) >= 0]
    assert table.episode_of(table.frame_indices).tolist() == [owner(table, row) for row in table.frame_indices]


@given(table=tables())
def test_a_frame_of_no_episode_is_refused(table):
    strangers = [row for row in range(-1, int(table.ends[-1]) + 2) if owner(table, row) < 0]
    for row in strangers:
        with pytest.raises(IndexError, match=f"frame {row} "):
            table.episode_of([table.starts[0], row])


@pytest.mark.parametrize(
    ("starts", "lengths"),
    [([0, 3], [4, 2]), ([3, 0], [2, 2]), ([0, 3], [3, 0]), ([-1], [2]), ([0, 3], [3]), ([[0]], [[3]])],
)
def test_overlapping_unordered_or_empty_episodes_are_refused(starts, lengths):
    with pytest.raises(ValueError, match=r"starts|episodes"):
        EpisodeTable(np.array(starts), np.array(lengths))


def test_selected_episodes_are_in_order():
    table = EpisodeTable.of_lengths([3, 4, 5]).select([2, 0])
    assert table.starts.tolist() == [0, 7]
    assert table.lengths.tolist() == [3, 5]
    with pytest.raises(ValueError, match="episodes"):
        EpisodeTable.of_lengths([3, 4]).select([1, 1])


@given(table=tables())
def test_transitions_are_all_rows_with_a_next_row_in_the_same_episode(table):
    expected = [row for row in table.frame_indices if owner(table, row + 1) == owner(table, row)]
    assume(expected)
    assert transitions(table).tolist() == expected


@given(table=tables(), length=st.integers(1, 9))
def test_windows_are_all_runs_of_frames_of_one_episode(table, length):
    expected = [
        row for row in table.frame_indices if all(owner(table, row + k) == owner(table, row) for k in range(length))
    ]
    assume(expected)
    first = windows(table, length)
    assert first.tolist() == expected
    rows = window_indices(first, length)
    assert rows.shape == (len(first), length)
    assert (np.diff(rows, axis=1) == 1).all()
    assert (table.episode_of(rows) == table.episode_of(first)[:, None]).all()


def test_windows_longer_than_every_episode_are_refused_with_the_longest():
    with pytest.raises(GlamError, match="no episode has 6 frames, the longest has 5"):
        windows(EpisodeTable.of_lengths([3, 5]), 6)
    with pytest.raises(GlamError, match="at least 1"):
        windows(EpisodeTable.of_lengths([3, 5]), 0)


@given(table=tables(), chunk_size=st.integers(1, 12))
def test_action_chunks_stay_in_their_episode_and_repeat_its_last_frame(table, chunk_size):
    rows, is_real = action_chunks(table, table.frame_indices, chunk_size)
    for row, chunk, real in zip(table.frame_indices, rows, is_real, strict=True):
        last = table.ends[owner(table, row)] - 1
        assert chunk.tolist() == [min(row + h, last) for h in range(chunk_size)]
        assert real.tolist() == [row + h <= last for h in range(chunk_size)]


@given(table=tables(shortest=2), chunk_size=st.integers(1, 12))
def test_latent_chunks_end_one_frame_before_the_episode(table, chunk_size):
    rows, is_real = latent_chunks(table, table.frame_indices, chunk_size)
    for row, chunk, real in zip(table.frame_indices, rows, is_real, strict=True):
        last = table.ends[owner(table, row)] - 2
        assert chunk.tolist() == [min(row + h, last) for h in range(chunk_size)]
        assert real.tolist() == [row + h <= last for h in range(chunk_size)]


@given(table=tables(shortest=2), chunk_size=st.integers(1, 12))
def test_the_real_rows_of_latent_chunks_are_transitions(table, chunk_size):
    rows, is_real = latent_chunks(table, table.frame_indices, chunk_size)
    assert np.isin(rows[is_real], transitions(table)).all()
    assert set(rows[is_real].tolist()) == set(transitions(table).tolist())


def test_chunks_keep_the_shape_of_the_rows():
    table = EpisodeTable.of_lengths([5, 5])
    assert action_chunks(table, [[0, 1, 2], [5, 6, 9]], 4).frames.shape == (2, 3, 4)
    assert action_chunks(table, 3, 4).frames.tolist() == [3, 4, 4, 4]


def test_an_episode_of_one_frame_has_no_latent_chunk():
    table = EpisodeTable.of_lengths([4, 1])
    with pytest.raises(GlamError, match="1 frame"):
        latent_chunks(table, [0, 4], 2)
    assert latent_chunks(table, [0], 2).frames.tolist() == [[0, 1]]


def test_an_action_takes_its_own_frame_to_the_next_one():
    """The index law, on data that say what they are: a frame is (episode, t), its action is the frame it leads to."""
    lengths = [4, 2, 6]
    table = EpisodeTable.of_lengths(lengths)
    observation = np.array([(episode, t) for episode, length in enumerate(lengths) for t in range(length)])
    action = np.array([(episode, t + 1) for episode, length in enumerate(lengths) for t in range(length)])

    now = transitions(table)
    assert len(now) == sum(length - 1 for length in lengths)
    assert np.array_equal(action[now], observation[now + 1])

    window = window_indices(windows(table, 3), 3)
    assert np.array_equal(action[window[:, :-1]], observation[window[:, 1:]])

    chunk = latent_chunks(table, table.frame_indices, 3)
    steps = np.arange(3)
    reached = observation[table.frame_indices][:, None] + np.stack([0 * steps, steps + 1], axis=-1)
    assert np.array_equal(action[chunk.frames][chunk.is_real], reached[chunk.is_real])
