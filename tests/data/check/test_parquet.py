import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from glam.data.check.parquet import column_names, read_table

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
