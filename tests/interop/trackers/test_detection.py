import numpy as np
from tests.interop.trackers.film import SIZE, film

from glam.interop.trackers.detection import known, located
from glam.interop.trackers.fingertips import DEFAULT_TRACKER


def test_the_same_hand_is_found_elsewhere_in_another_episode():
    images, tips = film()
    look = known(images, 2, tips[2], DEFAULT_TRACKER)
    others, there = film(seed=1, start=(50.0, 26.0))
    frame, places = located(others, [look], DEFAULT_TRACKER)
    assert np.abs(places - there[frame]).max() < 1.5


def test_where_no_hand_is_none_is_found():
    images, tips = film()
    look = known(images, 2, tips[2], DEFAULT_TRACKER)
    empty = np.full((12, *SIZE, 3), 150, np.uint8)
    assert located(empty, [look], DEFAULT_TRACKER) is None
