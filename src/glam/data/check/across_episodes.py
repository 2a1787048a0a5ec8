"""Checks that need all episodes together: counts, repeated episodes, grippers that never move, statistics."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core.files import contained, read_json
from glam.data.check.data_files import EpisodeSlice, Rate
from glam.data.check.episode_table import EpisodeRow
from glam.data.check.finding import Checking, Finding
from glam.data.check.info import CheckedInfo
from glam.data.check.integrity import check_columns
from glam.data.check.values import Vectors, arm_name, joints
from glam.data.layout import INFO, STATS
from glam.data.manifest import Manifest
from glam.data.schema import ACTION, EE_POSE, GRIPPER, POSE_SIZE, STATE

Array = NDArray[np.float64]
_MOTION = 1e-3  # rad; less is a robot at rest
_STEADY = 1e-4  # of the stroke; less is a gripper that was not recorded


@dataclass(frozen=True)
class Moments:
    """Sums over rows, one entry per value."""

    count: int
    low: Array
    high: Array
    mean: Array
    square: Array
    """Mean of the squared deviations from the mean."""


@dataclass(frozen=True)
class Summary:
    """Facts about an episode that are kept after its rows have been read."""

    file: str
    episode: int
    length: int
    first: int
    rate: Rate
    digest: str
    moments: dict[str, Moments]
    repeats_state: bool
    """Whether the action of every frame is the state of that frame, although the robot moves."""


def summary(rows: EpisodeSlice, vectors: Vectors, info: CheckedInfo) -> Summary:
    """Condense an episode."""
    content = hashlib.sha256()
    for key in sorted(vectors):
        content.update(key.encode() + vectors[key].tobytes())
    moments = {key: _moments(values) for key, values in vectors.items() if np.isfinite(values).all()}
    digest = content.hexdigest() if vectors else ""
    return Summary(
        rows.file, rows.episode, rows.length, rows.first, rows.rate, digest, moments, _repeats_state(vectors, info)
    )


def check_whole(info: CheckedInfo, rows: Sequence[EpisodeRow], episodes: Sequence[Summary]) -> Checking[None]:
    """Everything about the set of all episodes but its statistics."""
    yield from _against_table(rows, episodes)
    yield from _repeated(episodes)
    yield from _grippers(info, episodes)
    moving = [episode for episode in episodes if ACTION in episode.moments]
    if moving and all(episode.repeats_state for episode in moving):
        yield Finding("action-shift", "data", "the action of every frame equals the state of the same frame")
    frames = sum(episode.length for episode in episodes)
    if is_complete(rows, episodes) and info.totals.get("total_frames", frames) != frames:
        yield Finding(
            "count", INFO, f"total_frames is {info.totals['total_frames']} but the data files have {frames} rows"
        )


def is_complete(rows: Sequence[EpisodeRow], episodes: Sequence[Summary]) -> bool:
    """True if every episode of the table could be read; sums over all episodes are only compared then."""
    return bool(rows) and {row.index for row in rows} <= {episode.episode for episode in episodes}


def check_stats(
    root: Path, recorded: Manifest, rows: Sequence[EpisodeRow], episodes: Sequence[Summary]
) -> Checking[None]:
    """Compare `meta/stats.json` with the data, feature by feature."""
    if not (root / STATS).is_file():
        yield Finding("stats", STATS, "no such file")
        return
    stored = read_json(contained(root, STATS))
    if not isinstance(stored, dict):
        yield Finding("stats", STATS, f"is a {type(stored).__name__}, not an object")
        return
    yield from check_columns(STATS, stored, recorded)
    for key in episodes[0].moments if is_complete(rows, episodes) else ():
        parts = [episode.moments[key] for episode in episodes if key in episode.moments]
        if len(parts) == len(episodes) and len({len(part.mean) for part in parts}) == 1:
            yield from _compare(key, stored.get(key), _merged(parts))


def _moments(values: Array) -> Moments:
    return Moments(len(values), values.min(0), values.max(0), values.mean(0), values.var(0))


def _merged(parts: Sequence[Moments]) -> Moments:
    counts = np.array([[part.count] for part in parts], float)
    means = np.stack([part.mean for part in parts])
    mean = (counts * means).sum(0) / counts.sum()
    squares = np.stack([part.square for part in parts]) + (means - mean) ** 2
    low = np.stack([part.low for part in parts]).min(0)
    high = np.stack([part.high for part in parts]).max(0)
    return Moments(int(counts.sum()), low, high, mean, (counts * squares).sum(0) / counts.sum())


def _compare(key: str, stored: Any, true: Moments) -> Iterator[Finding]:
    if not isinstance(stored, dict):
        yield Finding("stats", STATS, f"has nothing about {key}")
        return
    tolerance = 1e-3 * (true.high - true.low) + 1e-5 * np.abs(true.mean) + 1e-6
    expected = {"min": true.low, "max": true.high, "mean": true.mean, "std": np.sqrt(true.square)}
    for name, values in expected.items():
        given = _floats(stored.get(name))
        if given.shape != values.shape or not (np.abs(given - values) <= tolerance).all():
            yield Finding("stats", STATS, f"{name} of {key} is not that of the data")


def _floats(value: Any) -> Array:
    try:
        return np.asarray(value, np.float64)
    except (TypeError, ValueError):
        return np.zeros(0)


def _against_table(rows: Sequence[EpisodeRow], episodes: Sequence[Summary]) -> Iterator[Finding]:
    found: dict[int, list[Summary]] = {}
    read = {episode.file for episode in episodes}
    for episode in episodes:
        found.setdefault(episode.episode, []).append(episode)
    for row in rows:
        parts = [part for part in found.pop(row.index, []) if part.file == row.data]
        if not parts and row.data in read:
            yield Finding("episode-missing", row.data, "the file has no rows of this episode", row.index)
        if len(parts) > 1:
            yield Finding("frame-gap", row.data, f"its rows lie in {len(parts)} separate places", row.index)
        elif parts and parts[0].length != row.length:
            problem = f"{parts[0].length} rows, but {row.table} says {row.length}"
            yield Finding("episode-length", row.data, problem, row.index, min(parts[0].length, row.length))
        if parts and parts[0].first != row.first:
            problem = f"index begins at {parts[0].first}, but {row.table} says {row.first}"
            yield Finding("frame-gap", row.data, problem, row.index, 0)
    for number, surplus in found.items() if rows else ():
        yield Finding("episodes-table", surplus[0].file, "is not in meta/episodes", number)


def _repeated(episodes: Sequence[Summary]) -> Iterator[Finding]:
    seen: dict[str, Summary] = {}
    for episode in episodes:
        if episode.digest and seen.setdefault(episode.digest, episode) is not episode:
            other = seen[episode.digest].episode
            yield Finding("duplicate", episode.file, f"holds the same values as episode {other}", episode.episode)


def _grippers(info: CheckedInfo, episodes: Sequence[Summary]) -> Iterator[Finding]:
    parts = [episode.moments[EE_POSE] for episode in episodes if EE_POSE in episode.moments]
    if len({len(part.mean) for part in parts}) != 1:
        return
    merged = _merged(parts)
    for arm in range(len(merged.mean) // POSE_SIZE):
        entry = arm * POSE_SIZE + GRIPPER
        if merged.high[entry] - merged.low[entry] < _STEADY:
            problem = (
                f"the gripper opening of {arm_name(info, arm)} is {merged.mean[entry]:.3g} in every frame of the set"
            )
            yield Finding("gripper-constant", "data", problem)


def _repeats_state(vectors: Vectors, info: CheckedInfo) -> bool:
    if STATE not in vectors or ACTION not in vectors or len(joints(info, STATE)) != len(joints(info, ACTION)):
        return False
    state, action = vectors[STATE][:, joints(info, STATE)], vectors[ACTION][:, joints(info, ACTION)]
    moves = state.size > 0 and bool((np.ptp(state, axis=0) > _MOTION).any())
    return moves and bool(np.array_equal(state, action))
