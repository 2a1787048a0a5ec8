import numpy as np
import pytest

from glam.interop.trackers.pairs import PairConfig, best_path
from glam.interop.trackers.templates import Candidates

OFFSET = np.array([[20.0, 0.0]])
NOWHERE = Candidates(np.empty((0, 2)), np.empty(0))


def frames(count=8, better_elsewhere=(), without_left=()):
    """Candidates of two tips that move to the right; in some frames something else is a better right tip."""
    found = []
    for frame in range(count):
        left = Candidates(np.array([[10.0 + 2 * frame, 30.0]]), np.array([0.9]))
        places, scores = [[30.0 + 2 * frame, 30.0]], [0.8]
        if frame in better_elsewhere:
            places, scores = [*places, [70.0, 60.0]], [*scores, 0.95]
        found.append((NOWHERE if frame in without_left else left, Candidates(np.array(places), np.array(scores))))
    return found


def test_a_better_place_far_away_in_one_frame_changes_nothing():
    places, _ = best_path(frames(better_elsewhere=(4,)), OFFSET, {}, PairConfig())
    assert places[:, 1, 0] == pytest.approx(30.0 + 2 * np.arange(8))


def test_a_tip_that_shows_nowhere_has_no_place_and_the_other_one_keeps_its_own():
    places, scores = best_path(frames(without_left=(3, 4)), OFFSET, {}, PairConfig())
    assert np.isnan(places[[3, 4], 0]).all()
    assert np.isnan(scores[[3, 4], 0]).all()
    assert not np.isnan(places[:, 1]).any()


def test_the_path_goes_through_clicks():
    click = np.array([[17.0, 33.0], [37.0, 33.0]])
    places, scores = best_path(frames(), OFFSET, {3: click}, PairConfig())
    assert places[3] == pytest.approx(click)
    assert scores[3].tolist() == [1.0, 1.0]


def test_two_tips_are_not_taken_for_one():
    both = Candidates(np.array([[20.0, 30.0], [40.0, 30.0]]), np.array([0.9, 0.7]))
    places, _ = best_path([(both, both)] * 4, OFFSET, {}, PairConfig())
    assert places[0].tolist() == [[20.0, 30.0], [40.0, 30.0]]
