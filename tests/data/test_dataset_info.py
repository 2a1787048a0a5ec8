import json

import pytest

from glam.core.errors import GlamError
from glam.data import layout
from glam.data.dataset_info import read_info
from glam.data.recording import recording, save_episode


def rewrite(root, **changes):
    path = root / layout.INFO
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_the_paths_follow_the_templates_of_the_set(target_set):
    info = read_info(target_set)
    assert info.data_file(1, 2) == target_set / "data/chunk-001/file-002.parquet"
    assert info.video_file("cam", 1, 2) == target_set / "videos/cam/chunk-001/file-002.mp4"


def test_a_missing_folder_and_a_foreign_folder_say_so(tmp_path):
    with pytest.raises(GlamError, match="nowhere: no such folder"):
        read_info(tmp_path / "nowhere")
    with pytest.raises(GlamError, match=r"not a LeRobot dataset: it has no meta/info\.json"):
        read_info(tmp_path)


def test_an_unfinished_recording_says_how_many_episodes_are_safe(tiny, tmp_path):
    with recording(tmp_path / "set", tiny.TARGET, tiny.DESCRIPTION):
        save_episode(tmp_path / "set", tiny.TARGET, 0, tiny.episode(0), {})
    with pytest.raises(GlamError, match="unfinished recording, 1 episodes are safe; finish it with the same"):
        read_info(tmp_path / "set")


def test_another_version_of_the_format_is_refused(target_set):
    rewrite(target_set, codebase_version="v2.1")
    with pytest.raises(GlamError, match=r"codebase version v2\.1; make a v3\.0 dataset of it with glam data adopt"):
        read_info(target_set)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"fps": 0}, "fps is 0"),
        ({"fps": "10"}, "fps is '10'"),
        ({"features": []}, "features is"),
        ({"features": {"action": {"dtype": "float32"}}}, "feature action must have a dtype and a shape"),
        ({"features": {"action": 3}}, "feature action must have"),
        ({"total_frames": None}, "total_frames is None"),
    ],
)
def test_a_field_of_the_wrong_form_is_named(target_set, changes, sentence):
    rewrite(target_set, **changes)
    with pytest.raises(GlamError, match=sentence):
        read_info(target_set)


def test_a_rate_that_is_a_whole_number_may_be_written_with_a_point(target_set):
    rewrite(target_set, fps=10.0)
    assert read_info(target_set).fps == 10
    rewrite(target_set, fps=29.97)
    with pytest.raises(GlamError, match=r"fps is 29\.97"):
        read_info(target_set)


@pytest.mark.parametrize("path", ["/etc/{chunk_index}.parquet", "data/../../{file_index}.parquet"])
def test_a_template_that_leads_outside_the_dataset_is_refused(target_set, path):
    rewrite(target_set, data_path=path)
    with pytest.raises(GlamError, match="not inside this folder"):
        read_info(target_set).data_file(0, 0)


def test_the_robot_is_told_where_somebody_says_which(target_set):
    assert read_info(target_set).robot == "kinova"
    rewrite(target_set, robot_type=None)
    assert read_info(target_set).robot == ""


def test_a_template_with_unknown_places_is_refused(target_set):
    rewrite(target_set, data_path="data/{episode}.parquet")
    with pytest.raises(GlamError, match="not a path template with chunk_index, file_index"):
        read_info(target_set).data_file(0, 0)


def test_what_is_not_json_is_refused(target_set):
    (target_set / layout.INFO).write_text("{")
    with pytest.raises(GlamError, match=r"info\.json: not valid JSON"):
        read_info(target_set)
    (target_set / layout.INFO).write_text("[]")
    with pytest.raises(GlamError, match="codebase version None"):
        read_info(target_set)
