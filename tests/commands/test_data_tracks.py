from pathlib import Path

import pytest
from tests.data import tiny

from glam.commands.data_tracks import Tracks
from glam.core.errors import GlamError
from glam.core.files import write_json
from glam.data.reader import Dataset

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
