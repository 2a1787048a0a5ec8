"""Tables of fingertips beside videos, with poses and without."""

import numpy as np
import pytest
from tests.interop.imports import foreign

from glam.core.errors import GlamError
from glam.data.tracks import EE_TRACKS, points_of
from glam.interop.imports import video_folder
from glam.interop.imports.conversion import plan
from glam.interop.imports.recordings import Hints

HEIGHT, WIDTH = foreign.SIZE


def row(time, **changes):
    """Both tips in the camera front, in pixels."""
    place = {"front.left.u": 2.0 + 10 * time, "front.left.v": 3.0, "front.right.u": 9.0, "front.right.v": 4.0}
    return {"timestamp": time} | place | changes


@pytest.fixture
def folder(tmp_path):
    """Three episodes of videos and fingertips."""
    root = foreign.video_folder(tmp_path / "recordings")
    for episode in sorted(path for path in root.iterdir() if path.is_dir()):
        foreign.write_table(episode / "tracks.csv", [row(k / 10) for k in range(20)])
        (episode / "poses.csv").unlink()
    return root


def read(reader, folder):
    return video_folder.read(reader, folder, Hints())


def test_videos_and_tracks_make_a_set_without_poses_at_the_times_of_the_frames(reader, folder):
    made = plan(read(reader, folder), None, None)
    assert (made.schema.has_pose, made.schema.track_cameras) == (False, ("front",))
    places, seen = points_of(made.episode(1).vectors[EE_TRACKS])
    times = np.arange(len(places)) / made.schema.fps
    assert places[:, 0, 0] == pytest.approx((2.0 + 10 * times) / WIDTH, abs=1e-6)
    assert places[:, 1] == pytest.approx(np.tile([9.0 / WIDTH, 4.0 / HEIGHT], (len(places), 1)), abs=1e-6)
    assert seen.all()


def test_poses_and_tracks_may_both_be_there(reader, tmp_path):
    root = foreign.video_folder(tmp_path / "both")
    for episode in (path for path in root.iterdir() if path.is_dir()):
        hidden = {"front.left.visible": 0, "front.right.visible": 1}
        foreign.write_table(episode / "tracks.csv", [row(k / 10, **hidden) for k in range(20)])
    made = plan(read(reader, root), None, None)
    assert made.schema.has_pose
    _, seen = points_of(made.episode(0).vectors[EE_TRACKS])
    assert seen.all(0).tolist() == [False, True]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([row(0.0, tip=1.0), row(0.1, tip=1.0)], "the column 'tip' is unknown"),
        ([{"timestamp": 0.0, "side.left.u": 1.0}] * 2, r"no column is called as in front\.left\.u"),
        ([{"timestamp": 0.0, "front.left.u": 1.0}, {"timestamp": 0.1, "front.left.u": 1.0}], "no column front.left.v"),
        ([row(0.1), row(0.1)], "at least two rows, whose timestamp increases"),
        ([row(k / 10, **{"front.left.u": 5000.0, "front.right.u": 5000.0}) for k in range(9)], "lie outside their"),
    ],
)
def test_what_is_wrong_is_one_sentence(reader, folder, rows, sentence):
    for episode in (path for path in folder.iterdir() if path.is_dir()):
        foreign.write_table(episode / "tracks.csv", rows)
    with pytest.raises(GlamError, match=sentence):
        read(reader, folder)


def test_an_episode_without_its_table_is_named(reader, folder):
    (folder / "episode_1/tracks.csv").unlink()
    with pytest.raises(GlamError, match=r"episode_1: has no table of tracks, tracks\.csv or tracks\.json, but"):
        read(reader, folder)
