"""Tracks in a copy of a dataset: from clicks and from poses, measured against the simulator's own."""

import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.core.files import write_json
from glam.core.geometry import PinholeCamera
from glam.data.reader import Dataset
from glam.data.schema import EE_POSE
from glam.data.tracks import EE_TRACKS, points_of
from glam.interop.trackers.clicks import read_clicks
from glam.sim.embodiments import find_embodiment
from glam.sim.fingertips import camera_of
from glam.sim.tasks import find_task
from glam.sim.world import World
from glam.stages.collect import CollectConfig, collect
from glam.stages.tracks import projected, track_by_clicks, track_by_poses

CAMERAS = ("front", "overhead")


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """Two episodes with poses and true tracks."""
    root = tmp_path_factory.mktemp("simulated") / "set"
    collect(CollectConfig("lift", "umi", 1000, image_size=96, has_tracks=True), root, 2, workers=1)
    return Dataset.open(root)


def clicks_on(dataset, episode, tmp_path):
    """Clicks where the simulator has the fingertips, in the first frame in which both show well inside the image."""
    places, seen = points_of(dataset.vectors(episode)[EE_TRACKS])
    found = []
    for number, camera in enumerate(CAMERAS):
        pair = slice(2 * number, 2 * number + 2)
        inside = ((places[:, pair] > 0.1) & (places[:, pair] < 0.9)).all((1, 2))
        frame = int(np.flatnonzero(seen[:, pair].all(1) & inside)[0])
        left, right = (96.0 * places[frame, pair]).round(1).tolist()
        found.append({"episode": episode, "camera": camera, "frame": frame, "left": left, "right": right})
    write_json(tmp_path / "clicks.json", {"clicks": found})
    return read_clicks(tmp_path / "clicks.json", dataset, CAMERAS)


def test_fingertips_are_followed_from_clicks_and_found_in_episodes_without(simulated, tmp_path):
    made = track_by_clicks(simulated.root, tmp_path / "copy", clicks_on(simulated, 0, tmp_path), CAMERAS)
    copy = Dataset.open(tmp_path / "copy")
    assert copy.schema == simulated.schema
    assert made.overlay.exists()
    for index in range(2):
        (found, ours), (true, theirs) = (points_of(one.vectors(index)[EE_TRACKS]) for one in (copy, simulated))
        assert ours[theirs].mean() > 0.6
        assert np.median(96.0 * np.linalg.norm(found - true, axis=-1)[ours & theirs]) < 1.5
    again = track_by_clicks(simulated.root, tmp_path / "copy", clicks_on(simulated, 0, tmp_path), CAMERAS)
    assert again.made == 0


def test_poses_in_calibrated_cameras_give_the_tracks_of_the_simulator(simulated):
    world = World(find_task("lift"), find_embodiment("umi"), (96, 96))
    world.reset(1000)
    cameras = [camera_of(world.model, world.data, world.model.camera(name).id, (96, 96)) for name in CAMERAS]
    world.close()
    vectors = simulated.vectors(0)
    found, ours = points_of(projected(vectors[EE_POSE].astype(float), 1, cameras))
    true, theirs = points_of(vectors[EE_TRACKS])
    assert 96.0 * np.abs(found - true)[ours & theirs].max() < 2.0
    assert not (theirs & ~ours).any()


def camera():
    return PinholeCamera((1.0, 1.0), (0.5, 0.5), np.zeros(3), np.identity(3))


def test_a_set_without_poses_needs_clicks(simulated, tmp_path):
    collect(CollectConfig("lift", "umi", 1000, image_size=16, has_pose=False), tmp_path / "bare", 1, workers=1)
    with pytest.raises(GlamError, match=r"has no end-effector pose; .* --prompts"):
        track_by_poses(tmp_path / "bare", tmp_path / "copy", {"front": camera()}, {})


def test_a_calibrated_camera_that_the_set_does_not_have_is_named(simulated, tmp_path):
    with pytest.raises(GlamError, match="--camera: calibrates side; the set has front, overhead"):
        track_by_poses(simulated.root, tmp_path / "copy", {"side": camera()}, {})
