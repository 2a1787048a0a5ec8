"""Copies are found by motion and images together."""

import numpy as np
from tests.data.quality.demonstrations import film, measures, poses, sound

from glam.data.quality.duplicates import copies


def test_a_copy_is_found_after_it_was_cut_and_encoded_anew() -> None:
    hand = poses(3, 116)[2:-3]
    noise = np.random.default_rng(0).integers(0, 3, (len(hand), 48, 48, 3))
    copy = measures(hand, 8, np.clip(film(hand) + noise, 0, 255).astype(np.uint8))
    assert copies([*sound(), copy]) == {8: 3}


def test_the_same_motion_before_other_images_is_no_copy() -> None:
    hand = poses(3, 116)
    assert copies([*sound(), measures(hand, 8, 255 - film(hand))]) == {}


def test_the_second_copy_names_the_original() -> None:
    hand = poses(3, 116)
    assert copies([*sound(), measures(hand, 8), measures(hand, 9)]) == {8: 3, 9: 3}
