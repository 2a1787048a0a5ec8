from dataclasses import replace

import numpy as np
import pytest

from glam.data import layout
from glam.data.check.frame_statistics import FrameStatistics

FRONT = "observation.images.front"
FILE = layout.video_file(FRONT, 1)


def with_film(change):
    def spoil(index, episode):
        if index != 1:
            return episode
        return replace(episode, images=episode.images | {FRONT: change(episode.images[FRONT].copy())})

    return spoil


def painted(frames, value):
    def change(film):
        film[frames] = value
        return film

    return change


def test_a_film_that_stands_still_is_found(spoilt):
    finding = spoilt(with_film(lambda film: np.repeat(film[:1], len(film), axis=0))).only("video-frozen")
    assert (finding.file, finding.episode) == (FILE, 1)


@pytest.mark.parametrize("value", [0, 255, (0, 0, 200)])
def test_a_film_of_one_colour_is_found(spoilt, value):
    finding = spoilt(with_film(painted(slice(None), value))).only("image-blank")
    assert (finding.file, finding.episode, finding.frame) == (FILE, 1, 0)


def test_a_single_black_frame_is_found(spoilt):
    finding = spoilt(with_film(painted(6, 0))).only("image-blank")
    assert (finding.episode, finding.frame) == (1, 6)


def test_slow_change_is_not_standing_still():
    statistics = FrameStatistics()
    for level in range(20):
        statistics.add(np.full((4, 4), 100 + level, np.uint8), begins_episode=level == 0)
    assert statistics.change == list(range(20))


def test_change_is_counted_from_the_beginning_of_each_episode():
    statistics = FrameStatistics()
    for level, begins in [(0, True), (50, False), (90, True), (95, False)]:
        statistics.add(np.full((4, 4), level, np.uint8), begins_episode=begins)
    assert statistics.change == [0, 50, 0, 5]
