import pyarrow as pa
import pytest

from glam.data import layout


def edit_rows(patient, change, file=layout.EPISODES):
    def changed(table):
        rows = table.to_pylist()
        return pa.Table.from_pylist(change(rows) or rows, schema=table.schema)

    patient.edit_table(file, changed)
    patient.seal()


@pytest.mark.parametrize("camera", ["front", "overhead"])
def test_a_missing_video_is_found_with_its_episode(patient, camera):
    file = layout.video_file(f"observation.images.{camera}", 1)
    (patient.root / file).unlink()
    patient.seal()
    finding = patient.only("file-missing")
    assert (finding.file, finding.episode) == (file, 1)


def test_a_missing_data_file_is_found_with_its_episode(patient):
    (patient.root / layout.data_file(2)).unlink()
    patient.seal()
    finding = patient.only("file-missing")
    assert (finding.file, finding.episode) == (layout.data_file(2), 2)


def test_an_episode_of_one_frame_is_found(spoilt):
    patient = spoilt(lambda index, episode: first_frames(episode, 1) if index == 1 else episode)
    finding = patient.only("episode-short")
    assert (finding.file, finding.episode) == (layout.EPISODES, 1)


def first_frames(episode, count):
    parts = [
        {key: values[:count] for key, values in part.items()}
        for part in (episode.vectors, episode.images, episode.masks)
    ]
    return type(episode)(*parts, episode.task)


def test_a_length_that_the_data_do_not_have_is_found(patient):
    edit_rows(patient, lambda rows: rows[1].update(length=14))
    assert {"episode-length", "episodes-table", "video-frames"} == patient.codes()


def test_episodes_that_do_not_begin_where_the_one_before_ends_are_found(patient):
    edit_rows(patient, lambda rows: rows[2].update(dataset_from_index=31))
    assert {"episodes-table", "frame-gap"} == patient.codes()


def test_an_episode_that_ends_elsewhere_than_its_length_says_is_found(patient):
    edit_rows(patient, lambda rows: rows[1].update(dataset_to_index=29))
    assert patient.only("episodes-table").episode == 1


def test_a_repeated_row_is_found(patient):
    edit_rows(patient, lambda rows: [rows[0], rows[1], rows[1]])
    assert "episodes-table" in patient.codes()


def test_a_row_with_an_empty_cell_is_found(patient):
    edit_rows(patient, lambda rows: rows[1].update(length=None))
    findings = [finding for finding in patient.findings() if finding.file == layout.EPISODES]
    assert any("row 1" in finding.problem for finding in findings)


def test_a_table_without_a_needed_column_is_found(patient):
    patient.edit_table(layout.EPISODES, lambda table: table.drop_columns(["length"]))
    assert any("'length'" in finding.problem for finding in patient.findings())


@pytest.mark.parametrize("tasks", [[], [""], ["  "]])
def test_an_episode_without_a_task_is_found(patient, tasks):
    edit_rows(patient, lambda rows: rows[1].update(tasks=tasks))
    assert patient.only("task").episode == 1


def test_a_task_that_the_table_does_not_know_is_found(patient):
    edit_rows(patient, lambda rows: rows[2].update(tasks=["Dance."]))
    assert "Dance." in patient.only("task").problem


def test_a_missing_table_of_tasks_is_found(patient):
    (patient.root / layout.TASKS).unlink()
    patient.seal()
    assert patient.only("file-missing").file == layout.TASKS


def test_an_empty_instruction_is_found(patient):
    edit_rows(patient, lambda rows: rows[0].update(task=""), layout.TASKS)
    assert patient.codes() == {"task"}
