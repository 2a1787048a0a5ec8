import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from glam.core.errors import GlamError
from glam.data import layout, tables
from glam.data.dataset_info import read_info
from glam.data.episode_locations import read_episodes, read_tasks

CAMERAS = ["observation.images.front"]


def read(root):
    return read_episodes(root, read_info(root), CAMERAS)


def rewrite(root, change):
    """Write the episodes table anew from changed rows."""
    path = root / layout.EPISODES
    table = pq.read_table(path, use_threads=False)
    rows = table.to_pylist()
    path.write_bytes(tables.parquet_bytes(pa.Table.from_pylist(change(rows) or rows, schema=table.schema)))


def put(rows, episode, **values):
    rows[episode] |= {name.replace("__", "/"): value for name, value in values.items()}


def test_each_record_says_where_its_episode_is(tiny, target_set):
    records = read(target_set)
    assert [record.index for record in records] == list(range(5))
    assert [record.length for record in records] == [tiny.length(index) for index in range(5)]
    assert [record.first_row for record in records] == [0, 4, 9, 15, 19]
    assert {record.file_row for record in records} == {0}
    assert records[3].data_file == target_set / layout.data_file(3)
    assert records[3].task_indices == {1}
    span = records[3].videos["observation.images.front"]
    assert (span.path, span.start, span.frames) == (target_set / layout.video_file(span.path.parts[-3], 3), 0.0, 4)
    assert span.ends_file


def test_episodes_may_share_files_and_be_described_in_any_order(target_set):
    def share(rows):
        for row in rows:
            start = row["dataset_from_index"] / 10
            row |= {"data/file_index": 0, "videos/observation.images.front/file_index": 0}
            row |= {"videos/observation.images.front/from_timestamp": start}
            row |= {"videos/observation.images.front/to_timestamp": start + row["length"] / 10}
        rows.reverse()

    rewrite(target_set, share)
    records = read(target_set)
    assert [record.index for record in records] == list(range(5))
    assert [record.file_row for record in records] == [0, 4, 9, 15, 19]
    spans = [record.videos["observation.images.front"] for record in records]
    assert [span.start for span in spans] == pytest.approx([0.0, 0.4, 0.9, 1.5, 1.9])
    assert [span.ends_file for span in spans] == [False, False, False, False, True]


def test_the_table_may_be_split_over_files(target_set):
    table = pq.read_table(target_set / layout.EPISODES, use_threads=False)
    for number, part in enumerate((table.slice(0, 2), table.slice(2))):
        path = target_set / layout.EPISODES_FOLDER / "chunk-000" / f"file-{number:03d}.parquet"
        path.write_bytes(tables.parquet_bytes(part))
    assert len(read(target_set)) == 5


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda rows: rows[:-1], "4 episodes that are not numbered 0 to 4"),
        (lambda rows: put(rows, 1, episode_index=7), "5 episodes that are not numbered 0 to 4"),
        (lambda rows: put(rows, 2, dataset_from_index=10), "episode 2 must have rows from 9 on"),
        (lambda rows: put(rows, 4, length=6, dataset_to_index=25), "25 frames in all, but meta/info.json says 24"),
        (lambda rows: put(rows, 0, length=0, dataset_to_index=0), "episode 0 must have rows"),
        (lambda rows: put(rows, 1, length=None), "length has empty cells"),
        (lambda rows: put(rows, 1, tasks=["Fly."]), "no task 'Fly.', which episode 1 has"),
        (
            lambda rows: put(rows, 3, **{"videos__observation.images.front__to_timestamp": 0.5}),
            "episode 3 has 0.5000 s of video, but 4 frames at 10 frames per second",
        ),
    ],
)
def test_what_does_not_add_up_is_named(target_set, change, sentence):
    rewrite(target_set, change)
    with pytest.raises(GlamError) as refused:
        read(target_set)
    assert sentence in str(refused.value)


def test_a_missing_camera_column_and_a_missing_table_are_named(target_set):
    table = pq.read_table(target_set / layout.EPISODES, use_threads=False)
    column = "videos/observation.images.front/from_timestamp"
    (target_set / layout.EPISODES).write_bytes(tables.parquet_bytes(table.drop_columns([column])))
    with pytest.raises(GlamError, match=f"no column '{column}'"):
        read(target_set)
    (target_set / layout.EPISODES).unlink()
    with pytest.raises(GlamError, match="meta/episodes: no parquet files"):
        read(target_set)


@pytest.mark.parametrize("name", ["task", "__index_level_0__"])
def test_tasks_are_read_whatever_pandas_calls_its_index(target_set, name):
    table = tables.tasks_table(["Lift.", "Push."]).rename_columns(["task_index", name])
    (target_set / layout.TASKS).write_bytes(tables.parquet_bytes(table))
    assert read_tasks(target_set) == {"Lift.": 0, "Push.": 1}


def test_a_tasks_table_without_texts_is_refused(target_set):
    (target_set / layout.TASKS).write_bytes(tables.parquet_bytes(pa.table({"task_index": [0]})))
    with pytest.raises(GlamError, match="it must have task and task_index"):
        read_tasks(target_set)


def test_an_episode_may_have_several_tasks(target_set):
    rewrite(target_set, lambda rows: put(rows, 1, tasks=["Lift the cube.", "Lift the other cube."]))
    record = read(target_set)[1]
    assert record.task == "Lift the cube.; Lift the other cube."
    assert record.task_indices == {0, 1}


def test_a_table_of_the_wrong_type_is_refused(target_set):
    table = pq.read_table(target_set / layout.EPISODES, use_threads=False)
    position = table.column_names.index("length")
    changed = table.set_column(position, "length", pa.array([str(n) for n in table["length"].to_pylist()]))
    (target_set / layout.EPISODES).write_bytes(tables.parquet_bytes(changed))
    with pytest.raises(GlamError, match="length has object values"):
        read(target_set)


def test_info_and_table_must_agree(target_set):
    path = target_set / layout.INFO
    path.write_text(json.dumps(json.loads(path.read_text()) | {"total_episodes": 6}))
    with pytest.raises(GlamError, match="not numbered 0 to 5"):
        read(target_set)
