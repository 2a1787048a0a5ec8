"""Frames without tracking are bridged where that is safe, and else split or drop their episode."""

from itertools import pairwise

import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.interop.imports.recordings import Motion
from glam.interop.lerobot.lost_frames import LostFrames, pieces, runs

RATE = 20


def motion(count=100):
    """A straight path; where it was lost, `held` shows what a recorder stores."""
    times = np.arange(count) / RATE
    positions = np.stack([times, 2.0 * times, 0.0 * times], axis=1)[:, None]
    quaternions = np.tile([0.0, 0.0, 0.0, 1.0], (count, 1, 1))
    return Motion(times, positions, quaternions, times[:, None], np.empty((count, 0)), np.empty((count, 0)))


def lost(*spans, count=100):
    flags = np.zeros(count, np.bool_)
    for first, last in spans:
        flags[first : last + 1] = True
    return flags


def held(whole, flags):
    """The last pose is kept while the tracker is lost."""
    for first, last in runs(flags):
        whole.positions[first : last + 1] = whole.positions[max(first - 1, 0)]
    return whole


def spans(found):
    return [(piece.first, piece.last) for piece in found]


def test_an_episode_without_gaps_stays_as_it_is():
    whole = motion()
    (piece,) = pieces(whole, lost(), LostFrames())
    assert piece.motion is whole


def test_a_short_gap_is_bridged_by_the_way_between_its_ends():
    flags = lost((40, 43))
    (piece,) = pieces(held(motion(), flags), flags, LostFrames(gap=0.2))
    assert (piece.first, piece.last) == (0, 99)
    np.testing.assert_allclose(piece.motion.positions, motion().positions, atol=1e-12)
    np.testing.assert_array_equal(piece.motion.openings, motion().openings)


def test_a_longer_gap_splits_and_short_pieces_are_left_out():
    flags = lost((0, 4), (40, 44), (60, 99))
    found = pieces(held(motion(), flags), flags, LostFrames(gap=0.2, shortest=1.0))
    assert spans(found) == [(5, 39)]  # 45 to 59 lasts 0.7 s
    assert spans(pieces(motion(), flags, LostFrames(gap=0.2, shortest=0.5))) == [(5, 39), (45, 59)]
    np.testing.assert_array_equal(found[0].motion.positions, motion().positions[5:40])
    assert found[0].motion.times[0] == 5 / RATE


def test_at_the_ends_there_is_nothing_to_bridge_with():
    assert spans(pieces(motion(), lost((0, 1), (98, 99)), LostFrames(gap=0.2))) == [(2, 97)]


def test_drop_leaves_the_episode_out_but_bridges_short_gaps():
    assert pieces(motion(), lost((40, 60)), LostFrames("drop")) == ()
    assert spans(pieces(motion(), lost((40, 42)), LostFrames("drop"))) == [(0, 99)]


def test_keep_changes_nothing():
    flags = lost((10, 90))
    (piece,) = pieces(whole := held(motion(), flags), flags, LostFrames("keep"))
    assert piece.motion is whole


def test_nothing_is_left_of_an_episode_that_was_lost_throughout():
    assert pieces(motion(), lost((0, 99)), LostFrames()) == ()
    assert pieces(motion(), lost((0, 98)), LostFrames()) == ()


def test_no_bridge_is_longer_than_half_a_second():
    LostFrames(gap=0.5)
    for gap in (-0.1, 0.6):
        with pytest.raises(GlamError, match=r"--lost-gap .*: must lie between 0 and 0.5 seconds"):
            LostFrames(gap=gap)


def test_random_gaps_never_leave_a_lost_pose_in_a_piece():
    random = np.random.default_rng(0)
    for _ in range(50):
        flags = random.random(100) < 0.1
        found = pieces(held(motion(), flags), flags, LostFrames(gap=0.1, shortest=0.1))
        for piece in found:
            np.testing.assert_allclose(piece.motion.positions, motion().positions[piece.first : piece.last + 1])
        assert all(a.last < b.first for a, b in pairwise(found))
