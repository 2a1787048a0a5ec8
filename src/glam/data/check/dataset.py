"""Check of a whole dataset: every file, then all files together."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np

from glam.core.errors import GlamError
from glam.core.files import PathOutsideError, contained
from glam.core.workers import Progress, no_progress
from glam.data.check.across_episodes import Summary, check_stats, check_whole, summary
from glam.data.check.data_files import Rate, check_rates, check_rows, check_vectors_shape
from glam.data.check.episode_table import EpisodeRow, check_episodes, check_spans, check_tasks
from glam.data.check.finding import Checking, Finding, guarded
from glam.data.check.images import check_images
from glam.data.check.info import CheckedInfo, check_info, recorded_info
from glam.data.check.integrity import (
    NO_MANIFEST,
    check_columns,
    check_content,
    check_finished,
    check_links,
    check_manifest,
    check_role,
    check_statistics_columns,
    check_surplus,
)
from glam.data.check.values import check_values
from glam.data.check.videos import check_video
from glam.data.layout import EPISODES, EPISODES_FOLDER, INFO, JOURNAL, MANIFEST, RECORDING, STATS, TASKS
from glam.data.manifest import Manifest

_PARTS = (EPISODES_FOLDER, JOURNAL, STATS, TASKS)
"""Any of these makes a folder a dataset, though perhaps a damaged one."""


@dataclass(frozen=True)
class _Described:
    """Content of the files below `meta`."""

    info: CheckedInfo
    rows: tuple[EpisodeRow, ...]
    tasks: frozenset[int]
    recorded: Manifest

    @property
    def files(self) -> frozenset[str]:
        """Data and video files of all episodes."""
        return frozenset(file for row in self.rows for file in row.files)


def check_dataset(root: Path, progress: Progress = no_progress) -> tuple[Finding, ...]:
    """Everything that is wrong with the dataset in `root`, errors first. No fault hides another.

    `progress` counts data and video files, which take nearly all of the time.
    """
    if not root.is_dir():
        raise GlamError(f"{root}: no such folder; name the folder of a dataset")
    if not any((root / file).exists() for file in (*_PARTS, INFO, RECORDING, MANIFEST)):
        raise GlamError(f"{root}: not a LeRobot dataset: it has no {INFO}; name the folder of a dataset")
    with np.errstate(all="ignore"):  # absurd values are findings, not warnings of numpy
        return tuple(sorted(dict.fromkeys(_check(root, progress)), key=_importance))


def _importance(finding: Finding) -> tuple[bool, str, int, int]:
    episode = -1 if finding.episode is None else finding.episode
    return finding.severity == "warning", finding.file, episode, -1 if finding.frame is None else finding.frame


def _check(root: Path, progress: Progress) -> Iterator[Finding]:
    is_published = yield from check_finished(root)
    recorded = yield from guarded(check_manifest(root), MANIFEST, NO_MANIFEST)
    described = _Described(CheckedInfo(), (), frozenset(), recorded)
    if is_published:
        described = yield from _description(root, recorded)
        yield from _content(root, described, progress)
    reported = frozenset({INFO, STATS, TASKS, EPISODES}) | described.files
    yield from guarded(check_content(root, recorded, reported), MANIFEST, None)
    yield from guarded(check_surplus(root, recorded, described.files), MANIFEST, None)
    yield from guarded(check_links(root), MANIFEST, None)


def _description(root: Path, recorded: Manifest) -> Checking[_Described]:
    info = yield from guarded(check_info(root), INFO, recorded_info(root))
    yield from check_role(info, recorded)
    rows = yield from guarded(check_episodes(root, info), EPISODES_FOLDER, ())
    tasks = yield from guarded(check_tasks(root, info, rows), TASKS, frozenset())
    for file in sorted({row.table for row in rows}):
        yield from guarded(check_statistics_columns(root, file, recorded), file, None)
    return _Described(info, rows, tasks, recorded)


def _content(root: Path, described: _Described, progress: Progress) -> Iterator[Finding]:
    data, videos = _data_files(root, described), _video_files(root, described)
    total = len(data) + len(videos)
    filmed: dict[str, list[EpisodeRow]] = {}
    for row in described.rows:
        for span in row.videos.values():
            filmed.setdefault(span.file, []).append(row)
    rates: list[Rate] = []
    episodes: list[Summary] = []
    progress(0, total)
    for done, file in enumerate(data):
        episodes += yield from guarded(_data_file(root, file, described), file, ())
        progress(done + 1, total)
    for done, (file, key) in enumerate(videos.items(), start=len(data)):
        check = check_video(root, file, key, described.info, filmed.get(file, ()))
        rates += [(yield from guarded(check, file, Rate(file, 0.0, "")))]
        progress(done + 1, total)
    wrong_rates = list(check_rates(described.info, [*(episode.rate for episode in episodes), *rates]))
    yield from wrong_rates or check_spans(described.info, described.rows)
    yield from guarded(check_whole(described.info, described.rows, episodes), "data", None)
    yield from guarded(check_stats(root, described.recorded, described.rows, episodes), STATS, None)


def _data_file(root: Path, file: str, described: _Described) -> Checking[tuple[Summary, ...]]:
    info, recorded = described.info, described.recorded
    slices = yield from check_rows(root, file, info, described.tasks)
    episodes: tuple[Summary, ...] = ()
    for rows in slices:
        yield from check_columns(file, tuple(rows.columns), recorded)
        vectors = yield from guarded(check_vectors_shape(rows, info), file, {})
        yield from guarded(check_values(rows, vectors, info), file, None)
        yield from guarded(check_images(rows, info, recorded.objects), file, None)
        episodes += (summary(rows, vectors, info),)
    return episodes


def _data_files(root: Path, described: _Described) -> list[str]:
    """Data files of the episodes; of a set whose table of episodes is lost, all that are there."""
    named = sorted({row.data for row in described.rows})
    return [file for file in named or _glob(root, "data/**/*.parquet") if _is_readable(root, file)]


def _video_files(root: Path, described: _Described) -> dict[str, str]:
    """Video files with the feature that they hold."""
    named = {span.file: key for row in described.rows for key, span in row.videos.items()}
    there = named or {file: PurePosixPath(file).parts[1] for file in _glob(root, "videos/*/**/*.mp4")}
    return {file: key for file, key in sorted(there.items()) if _is_readable(root, file)}


def _glob(root: Path, pattern: str) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.glob(pattern))


def _is_readable(root: Path, file: str) -> bool:
    try:
        return contained(root, file).is_file()
    except PathOutsideError:  # has been told
        return False
