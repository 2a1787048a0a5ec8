from dataclasses import replace

import numpy as np
import pytest
from tests.data import tiny

from glam.core.errors import GlamError
from glam.data.cache import decoded
from glam.data.reader import Dataset
from glam.data.tracks import EE_TRACKS, cameras_in, points_of, track_names, tracks_of

TRACKED = replace(tiny.TARGET, track_cameras=("front", "overhead"))


def test_every_arm_camera_and_finger_has_three_numbers():
    names = track_names(("arm",), ("front", "overhead"))
    assert names[:4] == ("arm.front.left.u", "arm.front.left.v", "arm.front.left.visible", "arm.front.right.u")
    assert len(names) == 12


def test_a_point_that_is_not_seen_keeps_its_last_place():
    places = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6], [0.7, 0.8]])[:, None]
    seen = np.array([False, True, False, True])[:, None]
    found, is_seen = points_of(tracks_of(places, seen))
    assert found[:, 0, 0] == pytest.approx([0.3, 0.3, 0.3, 0.7])
    assert (is_seen == seen).all()


def test_a_point_that_is_never_seen_lies_in_the_middle():
    found, seen = points_of(tracks_of(np.full((3, 2, 2), 0.9), np.array([[True, False]] * 3)))
    assert (found[:, 1] == 0.5).all()
    assert not seen[:, 1].any()


def test_arms_and_cameras_are_read_from_the_names():
    names = track_names(("left", "right"), ("front", "top.wide"))
    assert cameras_in(names) == (("left", "right"), ("front", "top.wide"))
    assert cameras_in(names, ("left", "right"))[1] == ("front", "top.wide")


@pytest.mark.parametrize("names", [(), ("u", "v"), track_names(("arm",), ("front",))[1:]])
def test_other_names_are_refused_in_one_sentence(names):
    with pytest.raises(GlamError, match=r"observation.ee_tracks has the entries .*each point needs"):
        cameras_in(names)


def test_a_set_of_tracks_without_poses_survives_recording_and_decoding(tmp_path):
    schema = replace(TRACKED, has_pose=False)
    tiny.record(tmp_path / "set", 3, schema)
    dataset = Dataset.open(tmp_path / "set")
    assert dataset.schema == schema
    assert (dataset.vectors(1)[EE_TRACKS] == tiny.episode(1, schema).vectors[EE_TRACKS]).all()
    frames = decoded(dataset, 8, tmp_path / "cache")
    assert frames.ee_tracks.shape == (len(dataset), 12)
    assert frames.ee_pose.shape == (len(dataset), 0)


def test_tracks_stand_beside_poses_and_of_some_cameras_only(tmp_path):
    schema = replace(tiny.AUXILIARY, track_cameras=("overhead",))
    tiny.record(tmp_path / "set", 2, schema)
    assert Dataset.open(tmp_path / "set").schema == schema


def test_tracks_of_a_camera_that_is_not_there_are_refused():
    with pytest.raises(GlamError, match="is of the camera side; the set has front, overhead"):
        replace(tiny.TARGET, track_cameras=("side",))
