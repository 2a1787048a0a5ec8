from dataclasses import replace

import numpy as np
from tests.data import tiny

from glam.data.reader import Dataset
from glam.data.tracks import tracks_of
from glam.reports.track_images import track_film, with_tracks

SCHEMA = replace(tiny.AUXILIARY, track_cameras=("front", "overhead"))


def test_fingertips_are_drawn_in_their_camera_dim_where_they_are_not_seen():
    images = np.zeros((2, 20, 40, 3), np.uint8)
    places = np.broadcast_to(np.array([[0.25, 0.5], [0.75, 0.5], [0.0, 0.0], [1.0, 1.0]]), (2, 4, 2))
    tracks = tracks_of(places, np.array([[True] * 4, [True, False, True, True]]))
    drawn = with_tracks(images, tracks, SCHEMA, "front")
    assert drawn[0, 10, 10].tolist() == [255, 220, 0]
    assert drawn[0, 10, 30].tolist() == [0, 230, 255]
    assert 0 < drawn[1, 10, 30].max() < 230
    assert not images.any()
    assert with_tracks(images, tracks, SCHEMA, "overhead")[0, 0, 0].tolist() == [255, 220, 0]


def test_a_film_shows_all_cameras_with_tracks(tmp_path):
    tiny.record(tmp_path / "set", 2, SCHEMA)
    assert len(track_film(Dataset.open(tmp_path / "set"), (0, 1))) > 500
