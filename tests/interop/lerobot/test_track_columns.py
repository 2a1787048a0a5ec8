"""Fingertip tracks of a foreign set: found by name or mapped, in pixels or units of the image."""

import numpy as np
import pytest
from tests.interop.lerobot import foreign

from glam.core.errors import GlamError
from glam.data.reader import Dataset
from glam.data.tracks import EE_TRACKS, points_of, track_names
from glam.interop.lerobot.adoption import adopt
from glam.interop.lerobot.mapping import ImportOptions, parse_map
from glam.stages.adopt import AdoptConfig, prepare

CAMERAS = ("main", "wrist")
POINTS = ("main_thumb", "main_index", "wrist_thumb", "wrist_index")
NAMES = [f"{point}_{part}" for point in POINTS for part in ("u", "v", "visible")]
MAP = [
    f"{EE_TRACKS}.{camera}.{finger}=tips[{number}:{number + 3}]"
    for number, camera, finger in zip(
        range(0, 12, 3), ("main", "main", "wrist", "wrist"), ("left", "right") * 2, strict=True
    )
]


def tips(length):
    """(T, 12): pixels of a camera of 32 x 24 and of one of 16 x 16; one finger is hidden at first."""
    time = np.arange(length) / length
    points = [
        (8 + 8 * time, 6 + 0 * time),
        (16 + 8 * time, 6 + 0 * time),
        (4 + 0 * time, 8 * time),
        (8 + 0 * time, 8 * time),
    ]
    flags = [(time > 0.2), *[time >= 0.0] * 3]
    return np.column_stack([column for (u, v), seen in zip(points, flags, strict=True) for column in (u, v, seen)])


def footage(root, names=NAMES, feature="tips", values=tips):
    """An auxiliary set without poses, of two cameras."""
    features = {
        "observation.images.main": foreign.camera(),
        "observation.images.wrist": foreign.camera((16, 16)),
        feature: foreign.feature(len(names), names),
    }
    return foreign.write(root, features, [{feature: values(length)} for length in foreign.LENGTHS[:2]])


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return footage(tmp_path_factory.mktemp("foreign") / "footage")


def adopted(root, *map_):
    return adopt(root, ImportOptions(parse_map(map_)), {}, None)


def test_mapped_columns_become_tracks_in_units_of_the_image(source, tmp_path):
    made = prepare(AdoptConfig(ImportOptions(parse_map(MAP)), rate=10, size=16), source, tmp_path / "set")
    made.write()
    dataset = Dataset.open(tmp_path / "set")
    assert (dataset.schema.has_pose, dataset.schema.track_cameras) == (False, CAMERAS)
    places, seen = points_of(dataset.vectors(0)[EE_TRACKS])
    np.testing.assert_allclose(
        places[-1], [[15.74 / 32, 0.25], [23.74 / 32, 0.25], [0.25, 7.74 / 16], [0.5, 7.74 / 16]], atol=0.01
    )
    assert (seen[0, 0], seen[-1, 0], seen[:, 1:].all()) == (False, True, True)


def test_what_was_understood_is_said_and_no_pose_is_asked_for(source):
    said = adopted(source, *MAP).sentences
    assert any(one.startswith("tracks: in main, wrist from tips[main_thumb_u") for one in said)
    assert "tracks: u and v read as pixels" in said
    assert not any("no end-effector pose" in one for one in said)


def test_without_a_flag_a_point_is_always_seen(source):
    found = adopted(
        source, *(one.replace(f":{n + 3}]", f":{n + 2}]") for n, one in zip(range(0, 12, 3), MAP, strict=True))
    )
    assert all(track.points.seen.all() for track in found.recording.tracks)


def test_our_own_feature_is_found_by_name_also_under_another_camera_name(tmp_path):
    root = footage(tmp_path / "own", list(track_names(("arm",), CAMERAS)), EE_TRACKS)
    assert adopted(root).recording.track_cameras == CAMERAS
    renamed = adopted(root, "observation.images.front=observation.images.wrist")
    assert renamed.recording.track_cameras == ("front",)
    np.testing.assert_allclose(renamed.recording.tracks[0].points.places[:, 0, 0], 0.25)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (MAP[:1], "main has the left fingertip alone; map the right one too"),
        ([f"{EE_TRACKS}.main.left=tips[0:5]"], "5 entries; a point has u, v and, if it is known, visible"),
        ([one.replace("wrist", "side") for one in MAP], "no arm arm with a camera side; the arms are arm, the cameras"),
        ([f"{EE_TRACKS}.main.thumb=tips[0:3]"], "no feature of ours"),
    ],
)
def test_bad_maps_are_one_sentence_each(source, given, sentence):
    with pytest.raises(GlamError, match=sentence):
        adopted(source, *given)


def test_tracks_far_outside_the_images_are_one_sentence(tmp_path):
    root = footage(tmp_path / "far", values=lambda length: tips(length) * 1000.0)
    with pytest.raises(GlamError, match="points lie outside their images, read as pixels"):
        adopted(root, *MAP)


def test_one_camera_alone_may_have_tracks(source):
    assert adopted(source, *MAP[:2]).recording.track_cameras == ("main",)
