"""The Arrow tables of a LeRobotDataset v3.0, their parquet bytes, and statistics in LeRobot's form.

Statistics are exact over all rows for vectors, and over a fixed subsample of frames for images. Images are summarised
as histograms of their 256 values. Histograms add up exactly, so the statistics of a whole set do not depend on who
recorded which episode, or on how many sittings it took.
"""

import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.data import parquet_footer
from glam.data.image_codecs import encode_image
from glam.data.schema import INDEX_FEATURES, Episode, Schema

_DAMAGE = (pa.ArrowException, OSError, ValueError)  # what Arrow raises on damaged files
IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
MOST_ROWS = 10_000_000
"""Rows that are read at once; a recording of four days at 30 Hz has as many."""
MOST_VALUES = 400_000_000
"""Values in these rows: a few gigabytes. A Parquet file of a megabyte can hold a thousand times as many."""
MOST_LISTED = 2_000_000
"""Rows of tables that become Python lists: tasks and episodes."""


def features(schema: Schema) -> dict[str, dict[str, Any]]:
    """Every feature of the set, the automatic ones included, as in `info.json`."""
    automatic = {key: {"dtype": dtype, "shape": [1], "names": None} for key, dtype in INDEX_FEATURES.items()}
    return schema.features() | automatic


def episode_rows(schema: Schema, episode: Episode, index: int) -> pa.Table:
    """The rows of an episode, but for the columns that depend on the other episodes; see `placed`."""
    frame = np.arange(len(episode))
    columns = {key: _vector_column(rows) for key, rows in episode.vectors.items() if key in schema.vectors}
    columns |= {key: _image_column(episode.masks[key]) for key in schema.mask_keys}
    columns |= {
        "timestamp": pa.array((frame / schema.fps).astype(np.float32)),
        "frame_index": pa.array(frame),
        "episode_index": pa.array(np.full(len(frame), index)),
    }
    return pa.table(columns)


def placed(schema: Schema, rows: pa.Table, first_row: int, task_index: int) -> pa.Table:
    """The final rows of an episode, once it is known how many rows and which tasks come before it."""
    columns = dict(zip(rows.column_names, rows.columns, strict=True))
    columns["index"] = pa.array(np.arange(len(rows)) + first_row)
    columns["task_index"] = pa.array(np.full(len(rows), task_index))
    stored = {key: feature for key, feature in features(schema).items() if feature["dtype"] != "video"}
    described = {key: _hugging_face(feature) for key, feature in stored.items()}
    metadata = {"huggingface": json.dumps({"info": {"features": described}})}
    return pa.table({key: columns[key] for key in stored}, metadata=metadata)


def with_vector(rows: pa.Table, key: str, values: NDArray[np.float32]) -> pa.Table:
    """The rows with one more column of vectors, (T, n), also in the schema metadata for the `datasets` library."""
    longer = rows.append_column(key, _vector_column(values))
    metadata = dict(rows.schema.metadata or {})
    if b"huggingface" in metadata:
        described = json.loads(metadata[b"huggingface"])
        described["info"]["features"][key] = _hugging_face({"dtype": "float32", "shape": [values.shape[1]]})
        metadata[b"huggingface"] = json.dumps(described).encode()
    return longer.replace_schema_metadata(metadata)


def numbers(rows: pa.Table) -> dict[str, NDArray[Any]]:
    """The columns that hold numbers: (T,) or (T, n)."""
    return {key: matrix(rows[key]) for key in rows.column_names if rows[key].type != IMAGE}


def matrix(column: pa.ChunkedArray) -> NDArray[Any]:
    """(T,) of a scalar column, (T, n) of a column of lists of one length."""
    if column.null_count:
        raise GlamError("empty cells, where every row must have a value")
    cells: Any = column.combine_chunks()
    if not pa.types.is_nested(column.type):
        return np.asarray(cells.to_numpy(zero_copy_only=False))
    if not pa.types.is_fixed_size_list(column.type) and len(set(cells.value_lengths().to_pylist())) > 1:
        raise GlamError("lists of different lengths, where every row must have the same")
    return np.asarray(cells.flatten().to_numpy(zero_copy_only=False)).reshape(len(cells), -1)


def tasks_table(tasks: Iterable[str]) -> pa.Table:
    """Task texts with their numbers; the metadata make it a pandas frame whose index is the text."""
    texts = list(tasks)
    described = [
        {"name": name, "field_name": name, "pandas_type": kind, "numpy_type": numpy_kind, "metadata": None}
        for name, kind, numpy_kind in (("task_index", "int64", "int64"), ("task", "unicode", "object"))
    ]
    pandas = {"index_columns": ["task"], "column_indexes": [], "columns": described, "pandas_version": "2.0.0"}
    columns = {"task_index": pa.array(range(len(texts)), pa.int64()), "task": pa.array(texts, pa.string())}
    return pa.table(columns, metadata={"pandas": json.dumps(pandas)})


def episodes_table(schema: Schema, rows: list[dict[str, Any]]) -> pa.Table:
    """One row per episode: where its rows and videos are, and its statistics."""
    fields = [("episode_index", pa.int64()), ("tasks", pa.list_(pa.string())), ("length", pa.int64())]
    places = ["data/chunk_index", "data/file_index", "dataset_from_index", "dataset_to_index"]
    fields += [(name, pa.int64()) for name in places]
    for key in schema.image_keys:
        fields += [(f"videos/{key}/{name}", pa.int64()) for name in ("chunk_index", "file_index")]
        fields += [(f"videos/{key}/{name}", pa.float64()) for name in ("from_timestamp", "to_timestamp")]
    for key, feature in features(schema).items():
        is_image = feature["dtype"] in ("image", "video")
        values = pa.list_(pa.list_(pa.list_(pa.float64()))) if is_image else pa.list_(pa.float64())
        kinds = {name: pa.list_(pa.int64()) if name == "count" else values for name in STATISTIC_NAMES}
        fields += [(f"stats/{key}/{name}", kind) for name, kind in kinds.items()]
    fields += [(f"meta/episodes/{name}", pa.int64()) for name in ("chunk_index", "file_index")]
    return pa.Table.from_pylist(rows, schema=pa.schema(fields))


def parquet_bytes(*groups: pa.Table) -> bytes:
    """The parquet file of tables of one schema: a row group each, with page checksums, equal tables as equal bytes."""
    buffer = io.BytesIO()
    with pq.ParquetWriter(buffer, groups[0].schema, compression="snappy", write_page_checksum=True) as writer:
        for group in groups:
            writer.write_table(group, row_group_size=max(len(group), 1))
    return buffer.getvalue()


def open_parquet(path: Path) -> pq.ParquetFile:
    """Open a parquet file so that damaged pages are errors."""
    if not path.is_file():
        raise GlamError(f"{path}: no such file; restore it from a copy")
    try:
        return pq.ParquetFile(path, page_checksum_verification=True)
    except _DAMAGE as error:
        raise GlamError(f"{path}: not a readable parquet file ({_first_line(error)}); restore it from a copy") from None


def read_parquet(path: Path, most: int = MOST_ROWS) -> pa.Table:
    """A whole parquet file of at most `most` rows."""
    with open_parquet(path) as file:
        return read_groups(path, file, range(file.num_row_groups), column_names(path, file), most)


def read_groups(
    path: Path, file: pq.ParquetFile, groups: Iterable[int], columns: Iterable[str], most: int = MOST_ROWS
) -> pa.Table:
    """Some columns of some row groups with at most `most` rows, checked to be well-formed."""
    known = column_names(path, file)
    missing = [name for name in columns if name not in known]
    if missing:
        raise GlamError(f"{path}: no column {missing[0]!r}; restore the file from a copy")
    try:
        require_modest(path, file, groups, columns, most)
        table = file.read_row_groups(list(groups), columns=list(columns), use_threads=False)
        table.validate(full=True)
    except _DAMAGE as error:
        raise GlamError(f"{path}: damaged ({_first_line(error)}); restore it from a copy") from None
    return table


def require_modest(
    path: Path, file: pq.ParquetFile, groups: Iterable[int], columns: Iterable[str], most: int = MOST_ROWS
) -> None:
    """Refuse row groups that unpack to absurdly many rows or values, before anything is unpacked."""
    wanted, rows, values, counts = set(columns), 0, 0, parquet_footer.column_counts(path)
    if len(counts) != file.num_row_groups:
        raise ValueError("its footer is damaged")
    for group in groups:
        rows += file.metadata.row_group(group).num_rows
        values += sum(part.values for part in counts[group] if _feature_of(part.path, wanted))
    if rows > most or values > MOST_VALUES:
        limits = f"{most} rows and {MOST_VALUES} values"
        raise GlamError(f"{path}: {rows} rows of {values} values are to be read at once, more than {limits}; split it")


def _feature_of(leaf: str, features: set[str]) -> bool:
    """True if a leaf such as `observation.state.list.element` belongs to one of these columns."""
    parts = leaf.split(".")
    return any(".".join(parts[:count]) in features for count in range(1, len(parts) + 1))


def column_names(path: Path, file: pq.ParquetFile) -> list[str]:
    """Names of the top-level columns."""
    try:
        return list(file.schema_arrow.names)
    except _DAMAGE as error:
        raise GlamError(f"{path}: damaged ({_first_line(error)}); restore it from a copy") from None


def _vector_column(rows: NDArray[np.float32]) -> pa.Array:
    """A column of one number per row is a scalar in LeRobot, a longer one a list of fixed length."""
    flat = pa.array(np.ascontiguousarray(rows).reshape(-1))
    return flat if rows.shape[1] == 1 else pa.FixedSizeListArray.from_arrays(flat, rows.shape[1])


def _image_column(images: NDArray[np.uint8]) -> pa.Array:
    content = pa.array([encode_image(image) for image in images], pa.binary())
    return pa.StructArray.from_arrays([content, pa.nulls(len(images), pa.string())], fields=list(IMAGE))


def _hugging_face(feature: Mapping[str, Any]) -> dict[str, Any]:
    """A feature as the `datasets` library describes it in the schema metadata."""
    if feature["dtype"] == "image":
        return {"_type": "Image"}
    value = {"dtype": feature["dtype"], "_type": "Value"}
    (size,) = feature["shape"]
    return value if size == 1 else {"feature": value, "length": size, "_type": "List"}


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0].rstrip(".")


Statistics = dict[str, list[Any]]

STATISTIC_NAMES = ("min", "max", "mean", "std", "count", "q01", "q10", "q50", "q90", "q99")
LEVELS = 256
SAMPLED_FRAMES = 16
_QUANTILES = {"q01": 0.01, "q10": 0.10, "q50": 0.50, "q90": 0.90, "q99": 0.99}


def row_statistics(rows: NDArray[Any]) -> Statistics:
    """Exact statistics of (N,) or (N, n) numbers, one entry per column."""
    table = rows.astype(np.float64).reshape(len(rows), -1)
    quantiles = np.quantile(table, list(_QUANTILES.values()), axis=0)
    return {
        "min": table.min(0).tolist(),
        "max": table.max(0).tolist(),
        "mean": table.mean(0).tolist(),
        "std": table.std(0).tolist(),
        "count": [len(table)],
    } | {name: values.tolist() for name, values in zip(_QUANTILES, quantiles, strict=True)}


def histogram(frames: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Counts of each value in each channel of evenly spaced frames. (T, Y, X, C) -> (C, 256)."""
    moments = np.linspace(0, len(frames) - 1, min(len(frames), SAMPLED_FRAMES)).round().astype(int)
    sample = frames[moments]
    return np.stack([np.bincount(sample[..., c].reshape(-1), minlength=LEVELS) for c in range(frames.shape[-1])])


def histogram_lines(counts: NDArray[np.int64]) -> list[str]:
    """A histogram (C, 256) as files keep it: one line of counts per channel."""
    return [" ".join(map(str, channel)) for channel in counts.tolist()]


def histogram_from_lines(lines: list[str]) -> NDArray[np.int64]:
    """The inverse of `histogram_lines`."""
    return np.array([[int(number) for number in line.split()] for line in lines])


def of_histogram(counts: NDArray[np.int64], pixels: int) -> Statistics:
    """Statistics of a histogram (C, 256) with values scaled to 0..1; `pixels` is the size of one frame."""
    levels = np.arange(LEVELS) / (LEVELS - 1)
    total = counts.sum(1, keepdims=True)
    mean = (counts * levels).sum(1, keepdims=True) / total
    variance = (counts * (levels - mean) ** 2).sum(1) / total[:, 0]
    cumulated = counts.cumsum(1) / total
    columns = {
        "min": [levels[np.flatnonzero(row)[0]] for row in counts],
        "max": [levels[np.flatnonzero(row)[-1]] for row in counts],
        "mean": mean[:, 0],
        "std": np.sqrt(variance),
    } | {name: [levels[np.searchsorted(row, q)] for row in cumulated] for name, q in _QUANTILES.items()}
    nested: Statistics = {name: [[[float(value)]] for value in values] for name, values in columns.items()}
    return nested | {"count": [int(total[0, 0]) // pixels]}


def histogram_statistics(histograms: Mapping[str, NDArray[np.int64]], size: tuple[int, int]) -> dict[str, Statistics]:
    """Statistics of several features whose frames are of one size."""
    return {key: of_histogram(counts, size[0] * size[1]) for key, counts in histograms.items()}
