import numpy as np
import pyarrow as pa

from glam.data import layout


def set_fps(patient, fps):
    patient.edit_json(layout.INFO, lambda info: info.update(fps=fps))
    patient.seal()


def test_a_wrong_rate_in_the_description_is_one_finding_about_it(patient):
    set_fps(patient, 20)
    finding = patient.only("fps")
    assert finding.file == layout.INFO
    assert "20 but every file has 10" in finding.problem


def test_a_video_of_another_rate_is_found(patient):
    patient.edit_video("front", 1, lambda frames: frames, fps=20)
    patient.seal()
    finding = patient.only("fps")
    assert finding.file == layout.video_file("observation.images.front", 1)
    assert finding.problem.startswith("20 frames per second by the video")


def test_time_stamps_of_another_rate_are_found(patient):
    stamps = pa.array((np.arange(15) / 20).astype(np.float32))
    file = layout.data_file(2)
    patient.edit_table(file, lambda table: table.set_column(table.column_names.index("timestamp"), "timestamp", stamps))
    patient.seal()
    finding = patient.only("fps")
    assert (finding.file, finding.episode) == (file, 2)
