"""Check of `meta/episodes` and `meta/tasks.parquet`."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glam.core.files import PathOutsideError, contained
from glam.data.check.data_files import column_names, read_table
from glam.data.check.finding import Checking, Finding, guarded
from glam.data.check.info import CheckedInfo
from glam.data.image_codecs import TIME_TOLERANCE
from glam.data.layout import EPISODES, EPISODES_FOLDER, INFO, TASKS
from glam.data.tables import MOST_LISTED

_TASK_COLUMNS = ("task", "__index_level_0__")  # the second is what pandas calls an unnamed index


@dataclass(frozen=True)
class Span:
    """Part of a video file that belongs to an episode: from `start` to before `stop`, in seconds."""

    file: str
    start: float
    stop: float


@dataclass(frozen=True)
class EpisodeRow:
    """One row of the table of episodes."""

    table: str
    index: int
    length: int
    first: int
    """Index of its first frame in the whole dataset."""
    end: int
    """Index of the frame after its last."""
    tasks: tuple[str, ...]
    data: str
    videos: dict[str, Span]

    @property
    def files(self) -> tuple[str, ...]:
        """Data and video files."""
        return (self.data, *(span.file for span in self.videos.values()))


def check_episodes(root: Path, info: CheckedInfo) -> Checking[tuple[EpisodeRow, ...]]:
    """Read and check every file of the table of episodes; returns the rows that make sense."""
    files = sorted(path.relative_to(root).as_posix() for path in (root / EPISODES_FOLDER).glob("**/*.parquet"))
    if not files:
        yield Finding("file-missing", EPISODES, "no such file, so the episodes are unknown")
        return ()
    rows: tuple[EpisodeRow, ...] = ()
    is_whole = True
    for file in files:
        read = yield from guarded(_read_rows(root, file, info), file, None)
        is_whole &= read is not None
        rows += read or ()
    if is_whole:
        yield from _numbering(rows)
        yield from _total(info, "total_episodes", len(rows), "episodes in meta/episodes")
    for row in rows:
        yield from _references(root, row)
    return rows


def check_tasks(root: Path, info: CheckedInfo, rows: tuple[EpisodeRow, ...]) -> Checking[frozenset[int]]:
    """Read and check the table of tasks; returns the numbers that are in use."""
    if not (root / TASKS).is_file():
        yield Finding("file-missing", TASKS, "no such file, so the task of no episode is known")
        return frozenset()
    tasks = yield from guarded(_read_tasks(root), TASKS, None)
    for row in rows:
        if not row.tasks or not all(text.strip() for text in row.tasks):
            yield Finding("task", row.table, "has no task text", row.index)
        unknown = sorted(set(row.tasks) - set(tasks.values())) if tasks is not None else []
        if unknown and unknown[0].strip():
            yield Finding("task", row.table, f"task {unknown[0][:80]!r} is not in {TASKS}", row.index)
    if tasks is None:
        return frozenset()
    yield from _total(info, "total_tasks", len(tasks), f"tasks in {TASKS}")
    return frozenset(tasks)


def check_spans(info: CheckedInfo, rows: tuple[EpisodeRow, ...]) -> Iterator[Finding]:
    """Check that each video span lasts as long as its frames do; call it only if the frame rate is right."""
    for row in rows:
        for span in row.videos.values():
            if info.fps > 0.0 and not abs(span.stop - span.start - row.length / info.fps) <= TIME_TOLERANCE:
                problem = (
                    f"{span.start:.4f} s to {span.stop:.4f} s of {span.file} is not the time of {row.length} frames"
                )
                yield Finding("episodes-table", row.table, problem, row.index)


def _read_rows(root: Path, file: str, info: CheckedInfo) -> Checking[tuple[EpisodeRow, ...] | None]:
    columns = [name for name in column_names(contained(root, file)) if not name.startswith("stats/")]
    table = read_table(contained(root, file), columns, MOST_LISTED).to_pylist()
    rows = []
    for number, raw in enumerate(table):
        try:
            rows.append(_row(raw, file, info))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            what = f"column {error}" if isinstance(error, KeyError) else f"a value ({error})"
            yield Finding("episodes-table", file, f"row {number}: {what} is missing or wrong")
    return tuple(rows)


def _row(raw: dict[str, Any], file: str, info: CheckedInfo) -> EpisodeRow:
    texts = raw["tasks"]
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise TypeError(f"tasks {texts!r:.60}")
    return EpisodeRow(
        table=file,
        index=_whole(raw["episode_index"]),
        length=_whole(raw["length"]),
        first=_whole(raw["dataset_from_index"]),
        end=_whole(raw["dataset_to_index"]),
        tasks=tuple(texts),
        data=info.data_path.format(
            chunk_index=_whole(raw["data/chunk_index"]), file_index=_whole(raw["data/file_index"]), video_key=""
        ),
        videos={key: _span(raw, key, info) for key in info.videos},
    )


def _span(raw: dict[str, Any], key: str, info: CheckedInfo) -> Span:
    chunk, file = _whole(raw[f"videos/{key}/chunk_index"]), _whole(raw[f"videos/{key}/file_index"])
    name = info.video_path.format(video_key=key, chunk_index=chunk, file_index=file)
    return Span(name, float(raw[f"videos/{key}/from_timestamp"]), float(raw[f"videos/{key}/to_timestamp"]))


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r:.40} is not a whole number")
    return value


def _numbering(rows: tuple[EpisodeRow, ...]) -> Iterator[Finding]:
    first = 0
    for number, row in enumerate(rows):
        if row.index != number:
            yield Finding("episodes-table", row.table, f"row {number} is of episode {row.index}", number)
            return  # every later row would say the same
        if row.first != first:
            problem = f"begins at frame {row.first} of the dataset, not {first}"
            yield Finding("episodes-table", row.table, problem, row.index)
        elif row.end != row.first + row.length:
            problem = f"frames {row.first} to {row.end} are not {row.length} frames"
            yield Finding("episodes-table", row.table, problem, row.index)
        if row.length < 2:
            yield Finding("episode-short", row.table, f"has {row.length} frames", row.index)
        first = row.first + row.length


def _references(root: Path, row: EpisodeRow) -> Iterator[Finding]:
    for file in row.files:
        try:
            is_there = contained(root, file).is_file()
        except PathOutsideError:
            yield Finding("path-outside", row.table, f"refers to {file[:200]!r}, outside the dataset", row.index)
        else:
            if not is_there:
                yield Finding("file-missing", file, "no such file", row.index)


def _read_tasks(root: Path) -> Checking[dict[int, str] | None]:
    table = read_table(contained(root, TASKS), most=MOST_LISTED)
    texts = next((name for name in _TASK_COLUMNS if name in table.column_names), "")
    if not texts or "task_index" not in table.column_names:
        yield Finding("task", TASKS, f"has columns {table.column_names}, not task_index and task")
        return None
    tasks: dict[int, str] = {}
    for number, text in zip(table["task_index"].to_pylist(), table[texts].to_pylist(), strict=True):
        if not isinstance(number, int) or number in tasks or not isinstance(text, str) or not text.strip():
            yield Finding("task", TASKS, f"row {len(tasks)} is task {number!r:.20}: {text!r:.80}")
        tasks[number] = text if isinstance(text, str) else ""
    return tasks


def _total(info: CheckedInfo, key: str, counted: int, what: str) -> Iterator[Finding]:
    if info.totals.get(key, counted) != counted:
        yield Finding("count", INFO, f"{key} is {info.totals[key]} but there are {counted} {what}")
