"""The footer of a Parquet file is read like Arrow reads it, and never ends the process."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from glam.core.errors import GlamError
from glam.data import tables
from glam.data.parquet_footer import column_counts

FLIPS = """
import sys
from pathlib import Path
from glam.core.errors import GlamError
from glam.data import tables

path = Path(sys.argv[1])
sound, refused = path.read_bytes(), 0
for position in range(8 * (len(sound) - int.from_bytes(sound[-8:-4], "little") - 8), 8 * len(sound)):
    damaged = bytearray(sound)
    damaged[position // 8] ^= 1 << position % 8
    path.write_bytes(damaged)
    try:
        tables.read_parquet(path)
    except GlamError:
        refused += 1
print(refused)
"""


def rows(count: int) -> pa.Table:
    state = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(3 * count, np.float32)), 3)
    names = pa.array([["a", "b"]] * count)
    return pa.table({"observation.state": state, "names": names, "index": pa.array(range(count))})


@pytest.mark.parametrize("parts", [1, 3])
def test_counts_are_those_of_arrow(tmp_path: Path, parts: int) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(tables.parquet_bytes(*(rows(10 * part + 10) for part in range(parts))))
    metadata = pq.ParquetFile(path).metadata
    expected = [
        [(part.path_in_schema, part.num_values) for part in map(group.column, range(group.num_columns))]
        for group in map(metadata.row_group, range(metadata.num_row_groups))
    ]
    assert [[(column.path, column.values) for column in group] for group in column_counts(path)] == expected


@pytest.mark.parametrize("content", [b"", b"PAR1", b"\x00" * 100 + b"PAR1", b"\x19" * 90 + b"\x50\x00\x00\x00PAR1"])
def test_a_footer_that_is_none_is_a_value_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(ValueError, match=r"footer|unpack"):
        column_counts(tmp_path / "a.parquet")


def test_no_flipped_bit_of_a_footer_ends_the_process(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    state = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(12, np.float32)), 3)
    path.write_bytes(tables.parquet_bytes(pa.table({"tracks": state})))
    found = subprocess.run([sys.executable, "-c", FLIPS, str(path)], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert int(found.stdout) > 1000


def test_a_row_group_of_too_many_values_is_refused_before_it_is_read(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "a.parquet").write_bytes(tables.parquet_bytes(rows(10)))
    monkeypatch.setattr(tables, "MOST_VALUES", 25)
    with pytest.raises(GlamError, match="10 rows of 60 values are to be read at once"):
        tables.read_parquet(tmp_path / "a.parquet")
