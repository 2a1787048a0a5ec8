import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from glam.data import layout
from glam.data.check.data_files import column_names, read_table

FILE = layout.data_file(1)


def edit_column(patient, name, change):
    def changed(table):
        values = change(table[name].to_numpy().copy())
        return table.set_column(table.column_names.index(name), name, pa.array(values))

    patient.edit_table(FILE, changed)
    patient.seal()


def skip_from(frame):
    return lambda values: values + (np.arange(len(values)) >= frame).astype(values.dtype)


@pytest.mark.parametrize("name", ["frame_index", "index"])
def test_a_gap_in_the_numbers_of_frames_is_found(patient, name):
    edit_column(patient, name, skip_from(6))
    finding = patient.only("frame-gap")
    assert (finding.file, finding.episode, finding.frame) == (FILE, 1, 6)
    assert name in finding.problem


def test_a_gap_in_time_is_found(patient):
    edit_column(patient, "timestamp", lambda stamps: stamps + 0.1 * (np.arange(15) >= 8).astype(np.float32))
    finding = patient.only("frame-gap")
    assert (finding.episode, finding.frame) == (1, 8)


@pytest.mark.parametrize("change", [lambda stamps: 0 * stamps, lambda stamps: stamps * np.float32(np.nan)])
def test_time_that_stands_still_or_is_no_number_is_found(patient, change):
    edit_column(patient, "timestamp", change)
    assert "frame-gap" in patient.codes()


def test_a_dropped_row_is_found(patient):
    patient.edit_table(FILE, lambda table: pa.concat_tables([table.slice(0, 5), table.slice(6)]))
    patient.seal()
    findings = patient.findings()
    assert {finding.code for finding in findings} == {"frame-gap", "episode-length", "count", "stats"}
    assert all(finding.frame == 5 for finding in findings if finding.code == "frame-gap")


def test_a_row_of_another_episode_is_found(patient):
    edit_column(patient, "episode_index", lambda numbers: np.where(np.arange(15) == 7, 2, numbers))
    assert "frame-gap" in patient.codes()


def test_an_unknown_task_number_is_found(patient):
    edit_column(patient, "task_index", lambda numbers: np.where(np.arange(15) == 3, 9, numbers))
    finding = patient.only("task")
    assert (finding.file, finding.episode, finding.frame) == (FILE, 1, 3)


def test_an_action_of_the_wrong_length_is_found(patient):
    patient.edit_vector(1, "action", lambda action: action[:, :-1])
    patient.seal()
    finding = patient.only("vector-length")
    assert (finding.file, finding.episode, finding.frame) == (FILE, 1, 0)
    assert "7 values, not the 8" in finding.problem


def test_an_action_of_the_wrong_length_in_one_frame_is_found(patient):
    def shortened(table):
        rows = table["action"].to_pylist()
        rows[4].pop()
        return table.set_column(table.column_names.index("action"), "action", pa.array(rows, pa.list_(pa.float32())))

    patient.edit_table(FILE, shortened)
    patient.seal()
    assert patient.only("vector-length").frame == 4


def test_text_in_place_of_an_action_is_found(patient):
    column = pa.array(["left"] * 15)
    patient.edit_table(FILE, lambda table: table.set_column(table.column_names.index("action"), "action", column))
    patient.seal()
    assert patient.only("vector-length").file == FILE


def test_an_empty_cell_is_found(patient):
    def emptied(table):
        rows = table["action"].to_pylist()
        rows[4] = None
        kind = table["action"].type
        return table.set_column(table.column_names.index("action"), "action", pa.array(rows, kind))

    patient.edit_table(FILE, emptied)
    patient.seal()
    assert patient.only("vector-length").frame == 4


def test_an_empty_value_is_found(patient):
    def emptied(table):
        rows = table["action"].to_pylist()
        rows[4][2] = None
        return table.set_column(table.column_names.index("action"), "action", pa.array(rows, table["action"].type))

    patient.edit_table(FILE, emptied)
    patient.seal()
    assert patient.only("not-finite").frame == 4


@pytest.mark.parametrize("name", ["action", "index", "observation.masks.front"])
def test_a_missing_column_is_found(patient, name):
    patient.edit_table(FILE, lambda table: table.drop_columns([name]))
    patient.seal()
    finding = patient.only("column")
    assert finding.file == FILE
    assert name in finding.problem


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + bytes(100) + b"PAR1", b"rubbish" * 99])
def test_a_broken_data_file_is_found(patient, content):
    (patient.root / FILE).write_bytes(content)
    patient.seal()
    assert patient.only("unreadable").file == FILE


def test_a_data_file_cut_short_is_found(patient):
    (patient.root / FILE).write_bytes((patient.root / FILE).read_bytes()[:-200])
    patient.seal()
    assert patient.only("unreadable").file == FILE


def test_a_data_file_without_rows_is_found(patient):
    patient.edit_table(FILE, lambda table: table.slice(0, 0))
    patient.seal()
    assert patient.only("column").file == FILE


TABLE = pa.table({"a": list(range(1000)), "b": [float(number) for number in range(1000)]})


@pytest.fixture
def path(tmp_path):
    pq.write_table(
        TABLE, tmp_path / "table.parquet", write_page_checksum=True, compression="none", use_dictionary=False
    )
    return tmp_path / "table.parquet"


def test_all_columns_or_some_are_read(path):
    assert read_table(path).equals(TABLE)
    assert read_table(path, ["b"]).equals(TABLE.select(["b"]))
    assert column_names(path) == ("a", "b")


def test_a_changed_page_is_an_error(path):
    content = bytearray(path.read_bytes())
    content[4000] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(OSError, match="CRC"):
        read_table(path)
