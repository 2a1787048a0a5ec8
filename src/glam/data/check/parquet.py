"""Reading parquet files that nobody vouches for."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def column_names(path: Path) -> tuple[str, ...]:
    """Names of the columns, in order; a file may hold the same name twice."""
    return tuple(pq.read_schema(path).names)


def read_table(path: Path, columns: list[str] | None = None) -> pa.Table:
    """All columns or some; pages that carry a checksum are compared with it. Small files: threads would cost more."""
    with pq.ParquetFile(path, page_checksum_verification=True) as file:
        return file.read(columns=columns, use_threads=False)
