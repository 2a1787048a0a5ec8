"""One click gives the masks of a whole film: of things that move, touch, hide, leave and come back."""

import numpy as np
import pytest
from tests.interop.segmenters import painted

from glam.interop.segmenters.judging import JudgeConfig
from glam.interop.segmenters.propagation import carried
from glam.interop.segmenters.segmenter import LOWER_RIGHT, OFF, ON, UPPER_LEFT, Hint


def click(x, y):
    return Hint(((x, y),), (ON,))


def run(images, hints, video=None):
    return carried(video or painted.PaintedEncodedVideo(images), images, hints, JudgeConfig())


def assert_equal(found, images, **colours):
    for name, colour in colours.items():
        np.testing.assert_array_equal(found[name], painted.truth(images, colour), err_msg=name)


def test_a_moving_thing_and_a_still_one_are_followed_from_one_click_each():
    images = painted.film((painted.BLUE, lambda frame: (30, 30)), (painted.RED, lambda frame: (2 + 3 * frame, 6)))
    found = run(images, {"red": {0: click(7, 11)}, "blue": {0: click(35, 35)}})
    assert_equal(found, images, red=painted.RED, blue=painted.BLUE)


def test_a_box_serves_as_well():
    images = painted.film((painted.RED, lambda frame: (2 + frame, 6)))
    box = Hint(((2.0, 6.0), (12.0, 16.0)), (UPPER_LEFT, LOWER_RIGHT))
    assert_equal(run(images, {"red": {0: box}}), images, red=painted.RED)


@pytest.mark.parametrize("clicked", [5, 11])
def test_a_click_in_a_later_frame_is_carried_backwards_too(clicked):
    images = painted.film((painted.RED, lambda frame: (2 + 3 * frame, 6)), (painted.BLUE, lambda frame: (20, 30)))
    hints = {"red": {clicked: click(7 + 3 * clicked, 11)}, "blue": {0: click(25, 35)}}
    assert_equal(run(images, hints), images, red=painted.RED, blue=painted.BLUE)


def test_a_hidden_thing_has_an_empty_mask_and_is_found_again_elsewhere():
    """A black square covers it; when that is gone the thing lies somewhere else."""

    def path(frame):
        return (8, 8) if frame < 5 else (34, 30)

    def cover(frame):
        return path(frame) if 4 <= frame <= 7 else (48, 48)

    images = painted.film((painted.RED, path), (painted.BLACK, cover), (painted.BLUE, lambda frame: (30, 2)))
    found = run(images, {"red": {0: click(13, 13)}, "blue": {0: click(35, 7)}})
    assert_equal(found, images, red=painted.RED, blue=painted.BLUE)
    assert not found["red"][4:8].any()
    assert found["red"][8:].any(axis=(1, 2)).all()


def test_a_thing_that_leaves_the_image_leaves_empty_masks():
    images = painted.film((painted.RED, lambda frame: (20 + 5 * frame, 6)))
    found = run(images, {"red": {0: click(25, 11)}})
    assert_equal(found, images, red=painted.RED)
    assert not found["red"][-1].any()


def test_a_thing_faster_than_its_own_size_is_still_followed():
    images = painted.film((painted.RED, lambda frame: (17 * (frame % 3), 12 * (frame % 4))))
    assert_equal(run(images, {"red": {0: click(5, 5)}}), images, red=painted.RED)


def test_stacked_things_share_no_pixel_and_each_is_told_what_the_other_is():
    def down(frame):
        return 20, min(3 * frame, 18)

    images = painted.film((painted.BLUE, lambda frame: (20, 28)), (painted.RED, down))
    video = painted.PaintedEncodedVideo(images)
    found = run(images, {"red": {0: click(25, 5)}, "blue": {0: click(25, 33)}}, video)
    assert_equal(found, images, red=painted.RED, blue=painted.BLUE)
    assert not (found["red"] & found["blue"]).any()
    last = [hint for frame, hint in video.asked if frame == len(images) - 1]
    assert len(last) == 2
    assert all(OFF in hint.kinds for hint in last)


def test_edges_follow_the_image_though_the_model_is_off_by_a_pixel():
    images = painted.film((painted.RED, lambda frame: (4 + 2 * frame, 6)))
    found = run(images, {"red": {0: click(9, 11)}}, painted.PaintedEncodedVideo(images, blur=1))
    assert_equal(found, images, red=painted.RED)


def test_a_second_click_corrects_what_went_wrong():
    """In frame 6 the red thing is exchanged for a blue one, which nobody could know."""
    images = painted.film((painted.RED, lambda frame: (10, 10)))
    images[6:][painted.truth(images[6:], painted.RED)] = painted.BLUE
    once = run(images, {"thing": {0: click(15, 15)}})
    assert not once["thing"][6:].any()
    twice = run(images, {"thing": {0: click(15, 15), 6: click(15, 15)}})
    assert (twice["thing"] == twice["thing"][0]).all()
    assert twice["thing"].any(axis=(1, 2)).all()


def test_progress_counts_every_frame_forwards_and_back():
    images = painted.film((painted.RED, lambda frame: (10, 10)), frames=5)
    seen = []
    video = painted.PaintedEncodedVideo(images)
    hints = {"red": {2: click(15, 15)}}
    carried(video, images, hints, JudgeConfig(), lambda done, total: seen.append((done, total)))
    assert seen == [(done, 7) for done in range(1, 8)]
