from pathlib import Path

import numpy as np
import pytest
from tests.data import tiny
from tests.interop.lerobot import foreign

from glam.commands.data_tracks import Tracks
from glam.core.errors import GlamError
from glam.core.files import write_json
from glam.data.reader import Dataset
from glam.data.tracks import EE_TRACKS, points_of
from glam.stages.tracks import TIP_BEYOND_TOOL

CLICKS = [
    {"episode": 0, "camera": camera, "frame": 1, "left": [4, 8], "right": [11, 8]} for camera in ("front", "overhead")
]


@pytest.fixture
def source(tmp_path) -> Path:
    tiny.record(tmp_path / "set", 2)
    return tmp_path / "set"


def test_clicks_make_a_copy_and_a_film_whose_paths_are_printed(source, tmp_path, capsys):
    write_json(tmp_path / "clicks.json", {"clicks": CLICKS})
    assert Tracks(source, tmp_path / "copy", prompts=tmp_path / "clicks.json").run() == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[-2:] == [str((tmp_path / "copy-tracks.mp4").resolve()), str(tmp_path / "copy")]
    assert Dataset.open(tmp_path / "copy").schema.track_cameras == ("front", "overhead")


def test_one_camera_missing_is_one_sentence_that_says_what_to_do(source, tmp_path):
    write_json(tmp_path / "clicks.json", {"clicks": CLICKS[:1]})
    command = Tracks(source, tmp_path / "copy", prompts=tmp_path / "clicks.json")
    with pytest.raises(GlamError, match=r"no click on the fingertips of arm in overhead; .* --cameras front"):
        command.run()
    assert Tracks(source, tmp_path / "copy", prompts=tmp_path / "clicks.json", cameras=("front",)).run() == 0


@pytest.mark.parametrize("given", [{}, {"prompts": Path("a.json"), "camera": Path("b.json")}])
def test_clicks_or_a_calibration_is_needed_and_not_both(source, tmp_path, given):
    with pytest.raises(GlamError, match=r"give --prompts, .* or --camera, .* one of the two"):
        Tracks(source, tmp_path / "copy", **given).run()


def test_joints_a_model_and_a_calibration_make_tracks(glam, tmp_path):
    """`--kinematics` finds the pose of the tool, `--camera` where its fingertips show."""
    foreign.arm(tmp_path / "recorded")
    (tmp_path / "crane.urdf").write_text(foreign.URDF)
    model = ("--kinematics", tmp_path / "crane.urdf", "--tool-frame", "tip", "--size", 16)
    assert glam("data", "adopt", tmp_path / "recorded", "--out", tmp_path / "robot", *model).code == 0
    above = {"size": [64, 48], "focal": [40, 40], "centre": [32, 24], "position": [0.2, 0, 1.5]}
    downwards = {"rotation": [[1, 0, 0], [0, -1, 0], [0, 0, -1]]}
    write_json(tmp_path / "calibration.json", {"cameras": {"top": above | downwards}})
    said = glam(
        "data", "tracks", tmp_path / "robot", "--camera", tmp_path / "calibration.json", "--out", tmp_path / "out"
    )
    assert said.code == 0
    dataset = Dataset.open(tmp_path / "out")
    assert dataset.schema.track_cameras == ("top",)
    places, seen = points_of(dataset.vectors(1)[EE_TRACKS])
    joints = dataset.vectors(1)["observation.state"]
    reach, height = 0.3 + joints[:, 1], 0.3 - TIP_BEYOND_TOOL  # the tool of the model points downwards
    x, y = reach * np.cos(joints[:, 0]) - 0.2, -reach * np.sin(joints[:, 0])
    expected = np.stack([32 + 40 * x / (1.5 - height), 24 + 40 * y / (1.5 - height)], axis=-1) / [64, 48]
    np.testing.assert_allclose(places.mean(axis=1), expected, atol=1e-4)
    assert seen.all()
    assert glam("data", "check", tmp_path / "out").code == 0
