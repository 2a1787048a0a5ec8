"""Check of the data files: columns, the order of frames within each episode, and the frame rate."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from glam.core.files import contained
from glam.data import tables
from glam.data.check.finding import Checking, Finding, more
from glam.data.check.info import CheckedInfo
from glam.data.dataset_info import DeclaredFeature
from glam.data.image_codecs import TIME_TOLERANCE
from glam.data.layout import INFO, TASKS
from glam.data.schema import INDEX_FEATURES

_TOLERANCE = 0.01  # of the rate; a real mistake is a factor


@dataclass(frozen=True)
class Rate:
    """A rate that was measured."""

    file: str
    fps: float
    """0 when it could not be measured."""
    source: str
    """Where the rate was measured, such as `its time stamps`."""
    episode: int | None = None


def settled(rate: Rate, info: CheckedInfo) -> float:
    """The rate to judge single frames by: the declared one where the measured one agrees, which is less exact."""
    return info.fps if info.fps > 0.0 and _equal(rate.fps, info.fps) else rate.fps


def check_rates(info: CheckedInfo, measured: Sequence[Rate]) -> Iterator[Finding]:
    """Compare `fps` of `meta/info.json` with every rate that was measured.

    When all of them agree with one another but not with the file, the file is wrong: one finding, not hundreds.
    """
    rates = [rate for rate in measured if rate.fps > 0.0]
    wrong = [rate for rate in rates if info.fps > 0.0 and not _equal(rate.fps, info.fps)]
    if wrong and len(wrong) == len(rates) and all(_equal(rate.fps, wrong[0].fps) for rate in wrong):
        sources = " and ".join(sorted({rate.source for rate in wrong}))
        problem = f"fps is {info.fps:g} but every file has {wrong[0].fps:.4g} frames per second by {sources}"
        yield Finding("fps", INFO, problem)
        return
    for rate in wrong:
        problem = f"{rate.fps:.4g} frames per second by {rate.source}, but meta/info.json says {info.fps:g}"
        yield Finding("fps", rate.file, problem, rate.episode)


def _equal(first: float, second: float) -> bool:
    return abs(first - second) <= _TOLERANCE * second


Array = NDArray[Any]


@dataclass(frozen=True)
class EpisodeSlice:
    """Rows of a data file, one after the other, that belong to one episode."""

    file: str
    episode: int
    length: int
    first: int
    """Value of `index` in its first row."""
    rate: Rate
    """Frames per second by the time stamps."""
    columns: dict[str, pa.ChunkedArray]

    def finding(self, code: str, problem: str, frame: int | None = None) -> Finding:
        """A finding about this episode."""
        return Finding(code, self.file, problem, self.episode, frame)


def column_names(path: Path) -> tuple[str, ...]:
    """Names of the columns, in order; a file may hold the same name twice."""
    return tuple(pq.read_schema(path).names)


def read_table(path: Path, columns: list[str] | None = None, most: int = tables.MOST_ROWS) -> pa.Table:
    """All columns or some; pages that carry a checksum are compared with it. Small files: threads would cost more."""
    with pq.ParquetFile(path, page_checksum_verification=True) as file:
        wanted = file.schema_arrow.names if columns is None else columns
        tables.require_modest(path, file, range(file.num_row_groups), wanted, most)
        return file.read(columns=columns, use_threads=False)


def check_rows(root: Path, file: str, info: CheckedInfo, tasks: frozenset[int]) -> Checking[tuple[EpisodeSlice, ...]]:
    """Read a data file and check its columns and the order of its rows."""
    table = read_table(contained(root, file))
    yield from _columns(file, table.column_names, info)
    if not len(table):
        yield Finding("column", file, "has no rows")
        return ()
    absent = [name for name in INDEX_FEATURES if name not in table.column_names]
    if absent:
        return ()
    ordering = {name: _numbers(table[name]) for name in INDEX_FEATURES}
    borders = [0, *(np.flatnonzero(np.diff(ordering["episode_index"])) + 1), len(table)]
    slices = []
    for start, stop in pairwise(borders):
        part = {name: values[start:stop] for name, values in ordering.items()}
        rows = _slice(file, part, table.slice(start, stop - start))
        yield from _order(rows, part)
        yield from _stamps(rows, part, settled(rows.rate, info))
        yield from _tasks(rows, part["task_index"], tasks)
        slices.append(rows)
    return tuple(slices)


def check_vectors_shape(rows: EpisodeSlice, info: CheckedInfo) -> Checking[dict[str, NDArray[np.float64]]]:
    """Check that every vector has the declared number of values; returns those that do, as (T, n)."""
    vectors = {}
    for key, feature in info.features.items():
        if feature.is_vector and key in rows.columns:
            values = yield from _vector(rows, key, feature)
            if values is not None:
                vectors[key] = values
    return vectors


def _columns(file: str, present: list[str], info: CheckedInfo) -> Iterator[Finding]:
    declared = [key for key, feature in info.features.items() if feature.dtype != "video"]
    for key in declared:
        if key not in present:
            yield Finding("column", file, f"column {key!r} is missing")
    for key in present:
        if info.features and key not in declared:
            yield Finding("column", file, f"column {key!r} is not a feature of meta/info.json")
    for key in sorted({key for key in present if present.count(key) > 1}):
        yield Finding("column", file, f"column {key!r} occurs twice")


def _numbers(column: pa.ChunkedArray) -> Array:
    """A column of numbers; what is null becomes -1, which no check of order accepts."""
    return np.asarray(column.fill_null(-1).to_numpy())


def _slice(file: str, part: dict[str, Array], table: pa.Table) -> EpisodeSlice:
    steps = np.diff(part["timestamp"].astype(np.float64))
    step = float(np.median(steps)) if len(steps) else 0.0
    episode = int(part["episode_index"][0])
    rate = Rate(file, 1.0 / step if step > 0.0 else 0.0, "its time stamps", episode)
    columns = {name: table[name] for name in table.column_names if name not in INDEX_FEATURES}
    return EpisodeSlice(file, episode, len(table), int(part["index"][0]), rate, columns)


def _order(rows: EpisodeSlice, part: dict[str, Array]) -> Iterator[Finding]:
    for name, first in (("frame_index", 0), ("index", rows.first)):
        expected = first + np.arange(rows.length)
        wrong = np.flatnonzero(part[name] != expected)
        if len(wrong):
            frame = int(wrong[0])
            problem = f"{name} is {part[name][frame]} where {expected[frame]} is due"
            yield rows.finding("frame-gap", problem + more(len(wrong)), frame)


def _stamps(rows: EpisodeSlice, part: dict[str, Array], fps: float) -> Iterator[Finding]:
    """Time stamps against their own step: a wrong rate is one finding of its own, not one per frame."""
    if fps > 0.0:
        expected = np.arange(rows.length) / fps
        tolerance = TIME_TOLERANCE + float(np.spacing(np.float32(rows.length / fps)))  # stored in single precision
        wrong = np.flatnonzero(~(np.abs(part["timestamp"] - expected) <= tolerance))
        if len(wrong):
            frame = int(wrong[0])
            problem = f"timestamp is {part['timestamp'][frame]:.4f} s where {expected[frame]:.4f} s is due"
            yield rows.finding("frame-gap", problem + more(len(wrong)), frame)
    elif rows.length > 1:
        yield rows.finding("frame-gap", "the time stamps do not rise", 1)


def _tasks(rows: EpisodeSlice, numbers: Array, tasks: frozenset[int]) -> Iterator[Finding]:
    unknown = np.flatnonzero(~np.isin(numbers, list(tasks)))
    if len(unknown) and tasks:  # a lost table of tasks has been reported already
        frame = int(unknown[0])
        problem = f"task_index {numbers[frame]} is not in {TASKS}"
        yield rows.finding("task", problem + more(len(unknown)), frame)


def _vector(rows: EpisodeSlice, key: str, feature: DeclaredFeature) -> Checking[NDArray[np.float64] | None]:
    column = rows.columns[key].combine_chunks()
    if feature.shape == (1,) and pa.types.is_floating(column.type):  # one value per row is stored as a plain number
        return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)[:, None]
    if not (pa.types.is_fixed_size_list(column.type) or pa.types.is_list(column.type)):
        yield rows.finding("vector-length", f"{key} is a column of {column.type}, not of {feature.shape[0]} values")
        return None
    lengths = np.asarray(column.value_lengths().fill_null(0))
    wrong = np.flatnonzero(lengths != feature.shape[0])
    if len(wrong):
        frame = int(wrong[0])
        problem = f"{key} has {lengths[frame]} values, not the {feature.shape[0]} that meta/info.json declares"
        yield rows.finding("vector-length", problem + more(len(wrong)), frame)
        return None
    values = column.flatten().cast(pa.float64()).to_numpy(zero_copy_only=False)
    return np.asarray(values, np.float64).reshape(rows.length, feature.shape[0])
