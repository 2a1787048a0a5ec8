import pytest

from glam.data import layout
from glam.data.check.info import check_info, recorded_info


def learnt(check):
    """What a check returns, its findings aside."""
    while True:
        try:
            next(check)
        except StopIteration as end:
            return end.value


def change(patient, **entries):
    patient.edit_json(layout.INFO, lambda info: info.update(entries))
    patient.seal()


@pytest.mark.parametrize("fps", [0, -10, "10", None, True])
def test_a_rate_that_is_no_positive_number_is_found(patient, fps):
    change(patient, fps=fps)
    assert "fps" in patient.only("info").problem


def test_another_version_of_the_format_is_found(patient):
    change(patient, codebase_version="v2.1")
    assert "v2.1" in patient.only("version").problem


@pytest.mark.parametrize(
    ("key", "code"), [("total_episodes", "count"), ("total_frames", "count"), ("total_tasks", "count")]
)
def test_a_wrong_total_is_found(patient, key, code):
    change(patient, **{key: 99})
    finding = patient.only(code)
    assert finding.file == layout.INFO
    assert f"{key} is 99" in finding.problem


@pytest.mark.parametrize("path", ["data/{chunk_index.__class__}", "data/{file_index:9999999d}", "data/{0}", 7])
def test_a_path_template_that_does_more_than_fill_in_numbers_is_not_used(patient, path):
    change(patient, data_path=path)
    assert "data_path" in patient.only("info").problem


def test_a_path_template_that_leads_outside_is_not_followed(patient):
    change(patient, data_path="../data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet")
    assert patient.codes() == {"path-outside"}


def test_a_feature_without_a_shape_is_found(patient):
    patient.edit_json(layout.INFO, lambda info: info["features"]["action"].update(shape=["many"]))
    patient.seal()
    assert "feature" in patient.codes()


def test_names_that_do_not_fit_the_shape_are_found(patient):
    patient.edit_json(layout.INFO, lambda info: info["features"]["action"]["names"].pop())
    patient.seal()
    assert "8 values but 7 names" in patient.only("feature").problem


def test_cameras_of_different_sizes_are_told(patient):
    features = {"observation.images.front": [32, 32, 3], "observation.images.overhead": [48, 32, 3]}
    patient.edit_json(
        layout.INFO, lambda info: [info["features"][key].update(shape=shape) for key, shape in features.items()]
    )
    patient.seal()
    assert {"camera-sizes", "image-size"} == patient.codes()


def test_a_lost_description_is_rebuilt_from_the_notes_of_the_recorder(patient):
    written = learnt(check_info(patient.root))
    assert recorded_info(patient.root).features == written.features
    assert recorded_info(patient.root).fps == written.fps
