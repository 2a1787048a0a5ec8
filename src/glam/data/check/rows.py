"""The data files: one row per frame. Their columns, and the order of frames within each episode."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from glam.data.check.finding import Checking, Finding, more
from glam.data.check.info import Feature, Info
from glam.data.check.parquet import read_table
from glam.data.check.rates import Rate, settled
from glam.data.layout import TASKS
from glam.data.schema import INDEX_FEATURES
from glam.data.video import TIME_TOLERANCE

Array = NDArray[Any]


@dataclass(frozen=True)
class Run:
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


def check_rows(root: Path, file: str, info: Info, tasks: frozenset[int]) -> Checking[tuple[Run, ...]]:
    """Read a data file and check its columns and the order of its rows."""
    table = read_table(root / file)
    yield from _columns(file, table.column_names, info)
    if not len(table):
        yield Finding("column", file, "has no rows")
        return ()
    absent = [name for name in INDEX_FEATURES if name not in table.column_names]
    if absent:
        return ()
    ordering = {name: _numbers(table[name]) for name in INDEX_FEATURES}
    borders = [0, *(np.flatnonzero(np.diff(ordering["episode_index"])) + 1), len(table)]
    runs = []
    for start, stop in pairwise(borders):
        part = {name: values[start:stop] for name, values in ordering.items()}
        run = _run(file, part, table.slice(start, stop - start))
        yield from _order(run, part)
        yield from _stamps(run, part, settled(run.rate, info))
        yield from _tasks(run, part["task_index"], tasks)
        runs.append(run)
    return tuple(runs)


def check_vectors_shape(run: Run, info: Info) -> Checking[dict[str, NDArray[np.float64]]]:
    """Check that every vector has the declared number of values; returns those that do, as (T, n)."""
    vectors = {}
    for key, feature in info.features.items():
        if feature.is_vector and key in run.columns:
            values = yield from _vector(run, key, feature)
            if values is not None:
                vectors[key] = values
    return vectors


def _columns(file: str, present: list[str], info: Info) -> Iterator[Finding]:
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


def _run(file: str, part: dict[str, Array], table: pa.Table) -> Run:
    steps = np.diff(part["timestamp"].astype(np.float64))
    step = float(np.median(steps)) if len(steps) else 0.0
    episode = int(part["episode_index"][0])
    rate = Rate(file, 1.0 / step if step > 0.0 else 0.0, "its time stamps", episode)
    columns = {name: table[name] for name in table.column_names if name not in INDEX_FEATURES}
    return Run(file, episode, len(table), int(part["index"][0]), rate, columns)


def _order(run: Run, part: dict[str, Array]) -> Iterator[Finding]:
    for name, first in (("frame_index", 0), ("index", run.first)):
        expected = first + np.arange(run.length)
        wrong = np.flatnonzero(part[name] != expected)
        if len(wrong):
            frame = int(wrong[0])
            problem = f"{name} is {part[name][frame]} where {expected[frame]} is due"
            yield run.finding("frame-gap", problem + more(len(wrong)), frame)


def _stamps(run: Run, part: dict[str, Array], fps: float) -> Iterator[Finding]:
    """Time stamps against their own step: a wrong rate is one finding of its own, not one per frame."""
    if fps > 0.0:
        expected = np.arange(run.length) / fps
        tolerance = TIME_TOLERANCE + float(np.spacing(np.float32(run.length / fps)))  # stored in single precision
        wrong = np.flatnonzero(~(np.abs(part["timestamp"] - expected) <= tolerance))
        if len(wrong):
            frame = int(wrong[0])
            problem = f"timestamp is {part['timestamp'][frame]:.4f} s where {expected[frame]:.4f} s is due"
            yield run.finding("frame-gap", problem + more(len(wrong)), frame)
    elif run.length > 1:
        yield run.finding("frame-gap", "the time stamps do not rise", 1)


def _tasks(run: Run, numbers: Array, tasks: frozenset[int]) -> Iterator[Finding]:
    unknown = np.flatnonzero(~np.isin(numbers, list(tasks)))
    if len(unknown) and tasks:  # a lost table of tasks has been told already
        frame = int(unknown[0])
        problem = f"task_index {numbers[frame]} is not in {TASKS}"
        yield run.finding("task", problem + more(len(unknown)), frame)


def _vector(run: Run, key: str, feature: Feature) -> Checking[NDArray[np.float64] | None]:
    column = run.columns[key].combine_chunks()
    if feature.shape == (1,) and pa.types.is_floating(column.type):  # one value per row is stored as a plain number
        return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)[:, None]
    if not (pa.types.is_fixed_size_list(column.type) or pa.types.is_list(column.type)):
        yield run.finding("vector-length", f"{key} is a column of {column.type}, not of {feature.shape[0]} values")
        return None
    lengths = np.asarray(column.value_lengths().fill_null(0))
    wrong = np.flatnonzero(lengths != feature.shape[0])
    if len(wrong):
        frame = int(wrong[0])
        problem = f"{key} has {lengths[frame]} values, not the {feature.shape[0]} that meta/info.json declares"
        yield run.finding("vector-length", problem + more(len(wrong)), frame)
        return None
    values = column.flatten().cast(pa.float64()).to_numpy(zero_copy_only=False)
    return np.asarray(values, np.float64).reshape(run.length, feature.shape[0])
