import numpy as np
import pytest
from tests.interop.trackers.film import SIZE, film

from glam.interop.trackers.fingertips import ClickedTips, follow, learn


def errors(found, tips):
    return np.linalg.norm(found.places - tips, axis=-1)[found.seen]


@pytest.mark.parametrize("start", [2, 12, 24])
def test_two_clicks_in_one_frame_are_followed_both_ways(start):
    images, tips = film()
    found = follow(images, learn([ClickedTips(images, start, tips[start])], images), {start: tips[start]})
    assert found.seen.mean() > 0.95
    assert np.median(errors(found, tips)) < 0.5
    assert np.quantile(errors(found, tips), 0.95) < 1.0


def test_the_same_hand_is_found_elsewhere_in_an_episode_without_clicks():
    images, tips = film()
    others, there = film(seed=1, start=(50.0, 26.0))
    found = follow(others, learn([ClickedTips(images, 2, tips[2])], images), {})
    assert found.seen.mean() > 0.9
    assert np.median(errors(found, there)) < 0.5


def test_a_hidden_tip_is_told_so_and_found_again():
    images, tips = film(hidden=range(8, 13))
    found = follow(images, learn([ClickedTips(images, 2, tips[2])], images), {2: tips[2]})
    assert not found.seen[8:13, 1].any()
    assert found.seen[:, 0].mean() > 0.9
    assert found.seen[14:, 1].mean() > 0.9
    assert np.quantile(errors(found, tips), 0.9) < 1.0


def test_where_no_hand_is_none_is_found():
    images, tips = film()
    empty = np.full((12, *SIZE, 3), 150, np.uint8)
    assert not follow(empty, learn([ClickedTips(images, 2, tips[2])], images), {}).seen.any()


def test_large_images_are_searched_in_small_ones_and_places_are_those_of_the_large_ones():
    images, tips = film()
    large, there = images.repeat(3, axis=1).repeat(3, axis=2), 3.0 * (tips + 0.5) - 0.5
    found = follow(large, learn([ClickedTips(large, 2, there[2])], large), {2: there[2]})
    assert np.median(errors(found, there)) < 1.5


def test_a_second_click_mends_the_frames_around_it():
    images, tips = film()
    wrong = tips[12] + 4.0
    found = follow(images, learn([ClickedTips(images, 2, tips[2])], images), {2: tips[2], 12: wrong})
    assert found.places[12] == pytest.approx(wrong)
