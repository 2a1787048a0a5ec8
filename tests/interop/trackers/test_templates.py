import numpy as np
import pytest

from glam.interop.trackers.templates import candidates, sampled, templates_of


def bar(tip, size=(48, 64)):
    """How finger-like each pixel is: a bar of 6 pixels that hangs down to its tip."""
    y, x = np.mgrid[0 : size[0], 0 : size[1]].astype(float)
    return np.clip(3.5 - np.abs(x - tip[0]), 0.0, 1.0) * np.clip(tip[1] + 0.5 - y, 0.0, 1.0)


def test_values_between_pixels_are_interpolated_and_edges_repeated():
    image = np.arange(12.0).reshape(3, 4)
    found = sampled(image, np.array([[1.5, 0.5], [-4.0, 0.0], [9.0, 9.0]]))
    assert found == pytest.approx([3.5, 0.0, 11.0])


@pytest.mark.parametrize("tip", [(41.0, 30.0), (41.3, 30.4), (20.6, 12.8)])
def test_a_tip_is_found_to_a_part_of_a_pixel(tip):
    templates = templates_of(bar((30.0, 20.0)), np.array([30.0, 20.0]))
    found = candidates(bar(tip), templates)
    assert found.places[0] == pytest.approx(tip, abs=0.3)
    assert found.scores[0] > 0.95


def test_two_tips_are_two_candidates_and_an_empty_image_has_none():
    templates = templates_of(bar((30.0, 20.0)), np.array([30.0, 20.0]))
    both = np.maximum(bar((15.0, 20.0)), bar((45.0, 25.0)))
    found = candidates(both, templates).places[:2]
    assert sorted(found[:, 0].round()) == [15.0, 45.0]
    assert len(candidates(np.zeros((48, 64)), templates).places) == 0
