"""The table of episodes is gathered in pieces, and is the one that all rows at once would make."""

import pyarrow.parquet as pq
import pytest
from tests.data import tiny

from glam.data import assembly, layout, tables
from glam.data.assembly import Assembly


@pytest.fixture
def rows(target_set):
    return pq.read_table(target_set / layout.EPISODES).to_pylist()


@pytest.mark.parametrize("piece", [1, 2, 5, 256])
def test_pieces_make_the_table_of_all_rows(rows, piece, monkeypatch):
    monkeypatch.setattr(assembly, "_PACKED", piece)
    gathered = Assembly(tiny.TARGET)
    for row in rows:
        gathered.add_row(row)
        assert len(gathered.rows) < piece
    assert (gathered.count, gathered.frames) == (len(rows), rows[-1]["dataset_to_index"])
    whole = tables.episodes_table(tiny.TARGET, rows)
    assert tables.parquet_bytes(gathered.table()) == tables.parquet_bytes(whole)


def test_tasks_are_numbered_as_they_come():
    gathered = Assembly(tiny.TARGET)
    assert [gathered.task_index(task) for task in ("lift", "push", "lift")] == [0, 1, 0]
