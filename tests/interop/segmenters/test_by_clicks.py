"""A whole dataset from a click in one episode."""

import numpy as np
from tests.interop.segmenters import painted, recorded
from tests.interop.segmenters.test_proposals import CLICKS, Flat

from glam.core.workers import no_progress
from glam.interop.segmenters.by_clicks import ByClicks
from glam.interop.segmenters.judging import JudgeConfig
from glam.interop.segmenters.prompts import Prompts, parse_objects


def maker(dataset, *texts):
    return ByClicks(Flat(), dataset, parse_objects(texts), JudgeConfig())


def test_clicks_in_one_episode_give_masks_in_all(squares_set):
    made = maker(squares_set, *CLICKS)
    for episode in range(recorded.EPISODES):
        for camera in recorded.SCHEMA.cameras:
            images = squares_set.images(episode, f"observation.images.{camera}")
            masks = made.masks(episode, camera, images, no_progress)
            true = recorded.images(episode, camera)
            assert list(masks) == ["red", "blue"]
            np.testing.assert_array_equal(masks["red"], painted.truth(true, painted.RED))
            np.testing.assert_array_equal(masks["blue"], painted.truth(true, painted.BLUE))


def test_an_object_that_is_not_found_has_empty_masks(squares_set):
    made = maker(squares_set, "red=front@0:9,11")
    masks = made.masks(1, "front", painted.film(frames=4), no_progress)
    assert masks["red"].shape == (4, painted.SIZE, painted.SIZE)
    assert not masks["red"].any()


def test_nothing_is_learnt_of_looks_while_every_object_is_clicked_on(squares_set, monkeypatch):
    made = maker(squares_set, *CLICKS)
    monkeypatch.setattr("glam.interop.segmenters.by_clicks.learn_appearances", None)
    images = squares_set.images(0, "observation.images.front")
    assert made.masks(0, "front", images, no_progress)["red"].any()


def test_the_notes_hold_everything_that_shapes_the_masks(squares_set):
    notes = maker(squares_set, "red=front@0:9,11", "blue=#1e3cc8").notes
    assert notes["model"] == {"model": "painted"}
    assert notes["prompts"]["prompts"][0]["on"] == [[9.0, 11.0]]
    assert notes["prompts"]["colours"] == {"blue": "#1e3cc8"}
    assert notes["settings"]["band"] == JudgeConfig().band
    assert maker(squares_set, "red=front@0:9,11").objects == Prompts(("red",)).objects
