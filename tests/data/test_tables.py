import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from glam.core.errors import GlamError
from glam.data import tables
from glam.data.tables import STATISTIC_NAMES


@pytest.fixture
def placed(tiny):
    return tables.placed(tiny.TARGET, tables.episode_rows(tiny.TARGET, tiny.episode(2), 2), first_row=9, task_index=1)


def test_the_columns_are_the_features_that_are_not_videos_in_their_order(tiny, placed):
    described = tables.features(tiny.TARGET)
    assert placed.column_names == [key for key, feature in described.items() if feature["dtype"] != "video"]


def test_the_columns_have_the_types_that_lerobot_expects(placed):
    assert placed.schema.field("action").type == pa.list_(pa.float32(), 3)
    assert placed.schema.field("timestamp").type == pa.float32()
    assert placed.schema.field("task_index").type == pa.int64()
    assert placed.schema.field("observation.masks.front").type == tables.IMAGE


def test_indices_say_where_the_episode_is(placed):
    numbers = tables.numbers(placed)
    np.testing.assert_array_equal(numbers["index"], 9 + np.arange(6))
    np.testing.assert_array_equal(numbers["frame_index"], np.arange(6))
    np.testing.assert_array_equal(numbers["episode_index"], np.full(6, 2))
    np.testing.assert_array_equal(numbers["task_index"], np.ones(6))
    np.testing.assert_array_equal(numbers["timestamp"], (np.arange(6) / 10).astype(np.float32))


def test_vectors_come_back_exactly(tiny, placed):
    for key, rows in tiny.episode(2).vectors.items():
        np.testing.assert_array_equal(tables.numbers(placed)[key], rows)


def test_a_vector_of_one_entry_is_a_scalar_column(tiny):
    schema = tiny.replace(tiny.TARGET, action_names=("gripper",))
    rows = tables.episode_rows(schema, tiny.episode(0, schema), 0)
    assert rows.schema.field("action").type == pa.float32()
    described = json.loads(tables.placed(schema, rows, 0, 0).schema.metadata[b"huggingface"])
    assert described["info"]["features"]["action"] == {"dtype": "float32", "_type": "Value"}


def test_the_metadata_describe_every_column_for_the_datasets_library(placed):
    described = json.loads(placed.schema.metadata[b"huggingface"])["info"]["features"]
    assert list(described) == placed.column_names
    value = {"dtype": "float32", "_type": "Value"}
    assert described["action"] == {"feature": value, "length": 3, "_type": "List"}
    assert described["observation.masks.front"] == {"_type": "Image"}


def test_parquet_is_one_row_group_with_snappy_and_the_same_bytes_every_time(placed, tmp_path):
    content = tables.parquet_bytes(placed)
    assert content == tables.parquet_bytes(placed)
    (tmp_path / "rows.parquet").write_bytes(content)
    metadata = pq.ParquetFile(tmp_path / "rows.parquet").metadata
    assert metadata.num_row_groups == 1
    assert metadata.row_group(0).column(0).compression == "SNAPPY"
    assert tables.read_parquet(tmp_path / "rows.parquet").equals(placed)


def test_no_flipped_bit_of_a_page_goes_unnoticed(tmp_path):
    table = pa.table({"x": np.random.default_rng(0).standard_normal(200)})
    content = tables.parquet_bytes(table)
    path = tmp_path / "rows.parquet"
    for position in range(60, len(content) // 2, 97):
        path.write_bytes(content[:position] + bytes([content[position] ^ 4]) + content[position + 1 :])
        with pytest.raises(GlamError, match=r"rows\.parquet"):
            tables.read_parquet(path)


def test_a_missing_file_and_a_missing_column_are_errors_that_name_them(tmp_path):
    with pytest.raises(GlamError, match=r"rows\.parquet: no such file"):
        tables.open_parquet(tmp_path / "rows.parquet")
    (tmp_path / "rows.parquet").write_bytes(tables.parquet_bytes(pa.table({"x": [1]})))
    with (
        tables.open_parquet(tmp_path / "rows.parquet") as file,
        pytest.raises(GlamError, match="no column 'y'"),
    ):
        tables.read_groups(tmp_path / "rows.parquet", file, [0], ["y"])


def test_lists_of_any_kind_become_a_matrix():
    rows = [[1.0, 2.0], [3.0, 4.0]]
    for kind in (pa.list_(pa.float64()), pa.list_(pa.float64(), 2), pa.large_list(pa.float64())):
        np.testing.assert_array_equal(tables.matrix(pa.chunked_array([pa.array(rows, kind)])), rows)
        two = pa.chunked_array([pa.array([[9.0, 9.0], *rows], kind)]).slice(1)
        np.testing.assert_array_equal(tables.matrix(two), rows)


def test_ragged_lists_and_empty_cells_are_errors():
    with pytest.raises(GlamError, match="different lengths"):
        tables.matrix(pa.chunked_array([pa.array([[1.0], [2.0, 3.0]])]))
    with pytest.raises(GlamError, match="empty cells"):
        tables.matrix(pa.chunked_array([pa.array([1.0, None])]))


def test_the_tasks_table_is_a_pandas_frame_indexed_by_the_text():
    table = tables.tasks_table(["Lift.", "Push."])
    assert table.to_pydict() == {"task_index": [0, 1], "task": ["Lift.", "Push."]}
    assert json.loads(table.schema.metadata[b"pandas"])["index_columns"] == ["task"]


def test_the_episodes_table_has_statistics_of_every_feature(tiny):
    names = tables.episodes_table(tiny.TARGET, []).column_names
    for key in tables.features(tiny.TARGET):
        assert [f"stats/{key}/{name}" in names for name in STATISTIC_NAMES] == [True] * len(STATISTIC_NAMES)
