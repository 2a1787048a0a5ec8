import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.data.tracks import points_of, tracks_of
from glam.sim.sensors import PERFECT_POINTS, PointTracker

SIZE = (96, 192)


@pytest.fixture
def tracks():
    places = np.linspace(0.2, 0.8, 1200).reshape(300, 2, 2)
    return tracks_of(places, np.ones((300, 2), bool))


def test_a_perfect_tracker_tells_where_visible_points_are(tracks):
    assert PERFECT_POINTS.measured(tracks, SIZE, 3) == pytest.approx(tracks)


def test_noise_is_in_pixels_of_both_sides(tracks):
    found, truth = (points_of(part)[0] for part in (PointTracker(2.0).measured(tracks, SIZE, 3), tracks))
    assert ((found - truth) * [192, 96]).std(axis=(0, 1)) == pytest.approx([2.0, 2.0], rel=0.1)


def test_points_are_lost_in_stretches_for_the_share_asked_for(tracks):
    _, seen = points_of(PointTracker(lost=0.3).measured(np.tile(tracks, (10, 1)), SIZE, 3))
    assert 1.0 - seen.mean() == pytest.approx(0.3, abs=0.05)
    begins = (seen[:-1] & ~seen[1:]).sum()
    assert (~seen).sum() / begins == pytest.approx(5.0, rel=0.2)


def test_a_hidden_point_gives_its_place_away_nowhere():
    places = np.linspace(0.2, 0.8, 20).reshape(10, 1, 2)
    seen = np.arange(10)[:, None] < 4
    truth = np.concatenate([places, seen[..., None]], axis=-1).reshape(10, -1).astype(np.float32)
    found, _ = points_of(PERFECT_POINTS.measured(truth, SIZE, 0))
    assert (found[4:] == found[3]).all()


def test_errors_depend_on_the_episode_alone(tracks):
    noisy = PointTracker(1.0, 0.2)
    assert (noisy.measured(tracks, SIZE, 3) == noisy.measured(tracks, SIZE, 3)).all()
    assert (noisy.measured(tracks, SIZE, 3) != noisy.measured(tracks, SIZE, 4)).any()


@pytest.mark.parametrize("values", [(-1.0, 0.0), (np.inf, 0.0), (0.0, 0.95)])
def test_errors_out_of_range_are_refused(values):
    with pytest.raises(GlamError, match="--track-"):
        PointTracker(*values)
