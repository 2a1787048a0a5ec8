import numpy as np
import pytest
from tests.interop.trackers.film import film

from glam.interop.trackers.fingertips import follow


@pytest.mark.parametrize("start", [0, 12, 24])
def test_two_clicks_in_one_frame_are_followed_both_ways(start):
    images, tips = film()
    found = follow(images, start, tips[start])
    assert found.seen.mean() > 0.95
    assert np.linalg.norm(found.places - tips, axis=-1)[found.seen].mean() < 0.6


def test_a_hidden_tip_is_told_so_and_found_again():
    images, tips = film(hidden=range(8, 13))
    found = follow(images, 0, tips[0])
    assert not found.seen[9:13, 1].any()
    assert found.seen[16:, 1].any()
    wrong = np.linalg.norm(found.places - tips, axis=-1)[found.seen]
    assert np.quantile(wrong, 0.9) < 1.5
