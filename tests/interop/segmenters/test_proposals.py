"""A click in one episode tells where to click in all others."""

import numpy as np
import pytest
from tests.interop.segmenters import painted, recorded

from glam.core.errors import GlamError
from glam.interop.segmenters.prompts import Prompts, parse_objects
from glam.interop.segmenters.proposals import ObjectAppearances, learn_appearances, proposed
from glam.interop.segmenters.segmenter import Guesses

CLICKS = ["red=front@0:9,11", "red=overhead@0:35,9", "blue=front@0:35,39", "blue=overhead@0:11,39"]


class Flat(painted.PaintedSegmenter):
    """Sees the films as they were painted, before compression changed every colour a little."""

    def encode_video(self, images):
        return painted.PaintedEncodedVideo(nearest(images))


def nearest(images):
    colours = np.array([painted.GREY, painted.RED, painted.BLUE, painted.BLACK], np.uint8)
    differences = np.abs(images[..., None, :].astype(int) - colours).sum(-1)
    return colours[differences.argmin(-1)]


def inside(prompt, corner):
    ((x, y),) = prompt.on
    return corner[0] <= x <= corner[0] + painted.SIDE and corner[1] <= y <= corner[1] + painted.SIDE


def test_objects_are_found_in_episodes_in_which_nobody_clicked(squares_set):
    prompts = parse_objects(CLICKS)
    appearances = learn_appearances(Flat(), squares_set, prompts)
    for episode in (1, 2):
        for camera in ("front", "overhead"):
            images = squares_set.images(episode, f"observation.images.{camera}")
            red, blue = proposed(appearances, prompts, episode, camera, images)
            assert (red.object, blue.object, red.frame, red.doubt) == ("red", "blue", 0, "")
            assert inside(red, recorded.red_at(episode, camera, 0))
            assert inside(blue, recorded.blue_at(episode, camera))


def test_what_was_clicked_on_is_not_proposed_again(squares_set):
    prompts = parse_objects(CLICKS[:1])
    appearances = learn_appearances(Flat(), squares_set, prompts)
    assert proposed(appearances, prompts, 0, "front", squares_set.images(0, "observation.images.front")) == ()


def test_a_click_in_another_camera_helps_too(squares_set):
    prompts = parse_objects(["red=front@0:9,11"])
    appearances = learn_appearances(Flat(), squares_set, prompts)
    (red,) = proposed(appearances, prompts, 2, "overhead", squares_set.images(2, "observation.images.overhead"))
    assert inside(red, recorded.red_at(2, "overhead", 0))


def test_a_colour_needs_no_click_at_all(squares_set):
    prompts = parse_objects(["red=#c81e1e", "blue=#1e3cc8"])
    found = proposed(
        ObjectAppearances({}, prompts.colours), prompts, 1, "front", squares_set.images(1, "observation.images.front")
    )
    assert [prompt.object for prompt in found] == ["red", "blue"]
    assert inside(found[0], recorded.red_at(1, "front", 0))
    assert inside(found[1], recorded.blue_at(1, "front"))


def test_an_object_that_shows_only_later_is_clicked_on_later(squares_set):
    prompts = parse_objects(CLICKS)
    appearances = learn_appearances(Flat(), squares_set, prompts)
    images = squares_set.images(1, "observation.images.front")
    hidden = np.concatenate([np.full_like(images, painted.GREY[0]), images])
    red, blue = proposed(appearances, prompts, 1, "front", hidden)
    assert (red.frame, blue.frame) == (10, 10)


def test_what_looks_only_a_little_like_it_is_proposed_with_doubt(squares_set):
    prompts = parse_objects(["red=front@0:9,11"])
    appearances = learn_appearances(Flat(), squares_set, prompts)
    images = painted.film((painted.RED, lambda frame: (45, 20)), frames=3)
    (red,) = proposed(appearances, prompts, 1, "front", images)
    assert red.doubt.startswith("likeness 0.")


def test_an_object_that_is_nowhere_is_not_proposed(squares_set):
    prompts = parse_objects(["red=front@0:9,11"])
    appearances = learn_appearances(Flat(), squares_set, prompts)
    assert (
        proposed(appearances, prompts, 1, "front", painted.film((painted.BLUE, lambda frame: (5, 5)), frames=3)) == ()
    )
    assert proposed(ObjectAppearances({}, {}), Prompts(("red",)), 1, "front", painted.film(frames=3)) == ()


def test_looks_are_learnt_from_a_few_of_many_clicks(squares_set):
    texts = [f"red=front@0:{9 + number / 100},11" for number in range(3)]
    many = Prompts(("red",), tuple(parse_objects([text]).prompts[0] for text in texts * 20))
    segmenter = Counting()
    learn_appearances(segmenter, squares_set, many)
    assert segmenter.frames == 15


class Counting(Flat):
    def encode_video(self, images):
        self.frames = len(images)
        return super().encode_video(images)


def test_a_click_on_nothing_is_refused(squares_set):
    class Blind(painted.PaintedSegmenter):
        def encode_video(self, images):
            return self

        def guesses(self, frame, hint):
            return Guesses(np.full((1, painted.SIZE, painted.SIZE), -8.0, np.float32), np.ones(1, np.float32))

    with pytest.raises(GlamError, match="prompt for red in episode 0, camera front, frame 0: the model sees no thing"):
        learn_appearances(Blind(), squares_set, parse_objects(["red=front@0:9,11"]))
