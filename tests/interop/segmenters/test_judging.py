"""Guesses are believed where place, colour and size agree."""

import numpy as np
import pytest
from tests.interop.segmenters import painted

from glam.interop.segmenters.appearance import learnt
from glam.interop.segmenters.judging import Expectation, JudgeConfig, best_guess, pointed_at
from glam.interop.segmenters.segmenter import OFF, ON, Guesses, Hint

CONFIG = JudgeConfig()


def scene():
    return painted.film((painted.RED, lambda frame: (10, 10)), (painted.BLUE, lambda frame: (10, 20)), frames=1)


def expectation(**changes):
    images = scene()
    red = painted.truth(images, painted.RED)
    known = {
        "place": red[0],
        "taken": np.zeros_like(red[0]),
        "area": float(painted.SIDE**2),
        "extent": (float(painted.SIDE), float(painted.SIDE)),
        "appearance": learnt(images, red),
    }
    return Expectation(**known | changes)


def guesses(*masks, scores=()):
    logits = np.where(np.stack(masks), 5.0, -5.0).astype(np.float32)
    return Guesses(logits, np.array(scores or [0.9] * len(masks), np.float32))


def test_the_guess_with_the_right_colours_wins_over_one_with_a_better_score():
    images = scene()
    red, blue = (painted.truth(images, colour)[0] for colour in (painted.RED, painted.BLUE))
    found = best_guess(guesses(red | blue, red, blue, scores=[0.99, 0.7, 0.99]), images[0], expectation(), CONFIG)
    np.testing.assert_array_equal(found, red)


@pytest.mark.parametrize(
    "changes",
    [{"area": 2000.0}, {"area": 20.0}],
    ids=["far smaller than the object", "far larger than the object"],
)
def test_a_guess_of_the_wrong_size_is_nothing(changes):
    images = scene()
    found = best_guess(guesses(painted.truth(images, painted.RED)[0]), images[0], expectation(**changes), CONFIG)
    assert not found.any()


def test_a_guess_of_the_wrong_colour_or_without_conviction_is_nothing():
    images = scene()
    red, blue = (painted.truth(images, colour)[0] for colour in (painted.RED, painted.BLUE))
    assert not best_guess(guesses(blue), images[0], expectation(), CONFIG).any()
    assert not best_guess(guesses(red, scores=[0.2]), images[0], expectation(), CONFIG).any()


def test_what_another_object_has_is_not_given_away():
    images = scene()
    red = painted.truth(images, painted.RED)[0]
    taken = np.zeros_like(red)
    taken[:, 10:13] = True
    found = best_guess(guesses(red), images[0], expectation(taken=taken), CONFIG)
    assert found.any()
    assert not (found & taken).any()


def test_parts_on_the_other_side_of_a_finger_belong_to_the_object():
    image = scene()[0]
    image[:, 15:17] = painted.BLACK
    left = painted.truth(image[None], painted.RED)[0].copy()
    whole = left.copy()
    left[:, 15:] = False
    found = best_guess(guesses(left), image, expectation(place=left), CONFIG)
    np.testing.assert_array_equal(found, whole)


def test_another_thing_of_the_same_colour_does_not():
    image = scene()[0]
    painted.square(image, 24, 10, painted.RED)
    red = painted.truth(scene(), painted.RED)[0]
    np.testing.assert_array_equal(best_guess(guesses(red), image, expectation(), CONFIG), red)


def test_specks_are_dropped_and_small_holes_filled():
    images = scene()
    red = painted.truth(images, painted.RED)[0]
    spoilt = red.copy()
    spoilt[15, 15] = False
    spoilt[40:42, 40:42] = True
    found = best_guess(guesses(spoilt), images[0], expectation(), JudgeConfig(band=0))
    np.testing.assert_array_equal(found, red)


def test_a_click_chooses_the_guess_that_keeps_to_all_clicks():
    images = scene()
    video = painted.PaintedEncodedVideo(images)
    both = pointed_at(video, 0, Hint(((15.0, 15.0),), (ON,)), images[0], band=2)
    np.testing.assert_array_equal(both, painted.truth(images, painted.RED)[0])

    class Undecided:
        def guesses(self, frame, hint):
            red, blue = (painted.truth(images, colour)[0] for colour in (painted.RED, painted.BLUE))
            return guesses(red | blue, red, scores=[0.95, 0.6])

    hint = Hint(((15.0, 15.0),), (ON,))
    assert pointed_at(Undecided(), 0, hint, images[0], band=2)[25, 15], "the better score"
    refined = pointed_at(Undecided(), 0, hint.also(OFF, (15.0, 25.0)), images[0], band=2)
    np.testing.assert_array_equal(refined, painted.truth(images, painted.RED)[0])
