"""Check of the videos: every frame is decoded, counted and timed."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.reformatter import VideoReformatter
from numpy.typing import NDArray

from glam.core.files import contained
from glam.data.check.data_files import Rate, settled
from glam.data.check.episode_table import EpisodeRow
from glam.data.check.finding import Checking, Finding, brief, more
from glam.data.check.frame_statistics import FrameStatistics, check_frame_statistics
from glam.data.check.info import CheckedInfo
from glam.data.image_codecs import CONTAINERS, MOST_PIXELS, TIME_TOLERANCE

_WITH_BRIGHTNESS_PLANE = frozenset({"yuv420p", "yuv422p", "yuv444p", "yuvj420p", "yuvj422p", "yuvj444p", "gray"})


@dataclass(frozen=True)
class _DecodedVideo:
    """A decoded video file."""

    file: str
    key: str
    times: NDArray[np.float64]
    """When each frame is shown, in seconds."""
    statistics: FrameStatistics
    fps: float
    """Frame rate of the video; 0 when there are too few frames."""


def check_video(root: Path, file: str, key: str, info: CheckedInfo, rows: Sequence[EpisodeRow]) -> Checking[Rate]:
    """Decode a video file and check it against the episodes that lie in it; returns the frame rate it really has."""
    unknown = Rate(file, 0.0, "the video")
    try:
        with av.open(str(contained(root, file)), options=dict(CONTAINERS)) as container:
            is_decodable = yield from _size(file, key, container, info)
            if not is_decodable:
                return unknown
            starts = sorted(row.videos[key].start for row in rows)
            times, statistics = yield from _decode(file, container, starts)
    except av.error.FFmpegError as error:
        yield Finding("unreadable", file, f"not a readable video, cut short or damaged ({brief(error)})")
        return unknown
    step = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
    rate = Rate(file, 1.0 / step if step > 0.0 else 0.0, "the video")
    yield from _episodes(_DecodedVideo(file, key, times, statistics, settled(rate, info)), rows)
    return rate


def _size(file: str, key: str, container: InputContainer, info: CheckedInfo) -> Checking[bool]:
    if not container.streams.video:
        yield Finding("unreadable", file, "the file holds no video")
        return False
    context = container.streams.video[0].codec_context
    size, declared = (context.height, context.width), info.image_size(key)
    if key in info.features and size != declared:
        problem = f"{_by(size)} pixels, but meta/info.json says {_by(declared)} for {key}"
        yield Finding("image-size", file, problem + _swapped(key, size, info))
    return size[0] * size[1] <= MOST_PIXELS


def _swapped(key: str, size: tuple[int, int], info: CheckedInfo) -> str:
    others = [other for other in info.videos if other != key and info.image_size(other) == size]
    return f"; this is the size of {others[0]}, so the two cameras may be swapped" if others else ""


def _decode(
    file: str, container: InputContainer, starts: Sequence[float]
) -> Checking[tuple[NDArray[np.float64], FrameStatistics]]:
    """Look at every frame; `starts` are the times at which episodes begin. Damage ends the decoding, not the check."""
    stream = container.streams.video[0]
    stream.codec_context.thread_count = 1  # small images: starting threads costs more than they save
    statistics, times, corrupt, begun = FrameStatistics(), list[float](), list[int](), 0
    convert = VideoReformatter()
    try:
        for frame in container.decode(stream):
            if frame.is_corrupt:
                corrupt.append(len(times))
            times.append(float(frame.time or 0.0))
            before, begun = begun, bisect_right(starts, times[-1] + TIME_TOLERANCE)
            statistics.add(_grey(frame, convert), begins_episode=begun > before)
    except av.error.FFmpegError as error:
        yield Finding("unreadable", file, f"cannot be decoded after frame {len(times)} of the file ({brief(error)})")
    if corrupt:
        yield Finding("unreadable", file, f"frame {corrupt[0]} of the file is damaged{more(len(corrupt))}")
    if stream.frames > len(times):
        problem = f"ends after {len(times)} of the {stream.frames} frames that its header lists"
        yield Finding("unreadable", file, problem)
    return np.array(times), statistics


def _grey(frame: VideoFrame, convert: VideoReformatter) -> NDArray[np.uint8]:
    """Brightness, (Y, X). Most videos hold it as a plane of its own, and taking it costs nothing."""
    if frame.format.name not in _WITH_BRIGHTNESS_PLANE:
        return convert.reformat(frame, format="gray").to_ndarray().astype(np.uint8, copy=False)
    plane = frame.planes[0]
    rows = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)
    return np.array(rows[: frame.height, : frame.width])  # a copy: the decoder uses its memory again


def _episodes(video: _DecodedVideo, rows: Sequence[EpisodeRow]) -> Iterator[Finding]:
    half = 0.5 / video.fps if video.fps > 0.0 else 0.0
    claimed = np.zeros(len(video.times), bool)
    for row in rows:
        span = row.videos[video.key]
        inside = (video.times >= span.start - half) & (video.times < span.stop - half)
        claimed |= inside
        yield from _frames(video, row, video.times[inside])
        if inside.any():
            yield from check_frame_statistics(
                video.statistics, np.flatnonzero(inside), video.key, video.file, row.index
            )
    if rows and not claimed.all():
        count, last = int((~claimed).sum()), max(rows, key=lambda row: row.videos[video.key].stop)
        yield Finding("video-frames", video.file, f"{count} frames belong to no episode", last.index, last.length)


def _frames(video: _DecodedVideo, row: EpisodeRow, times: NDArray[np.float64]) -> Iterator[Finding]:
    span = row.videos[video.key]
    if len(times) != row.length:
        problem = f"{len(times)} frames from {span.start:.3f} s to {span.stop:.3f} s, but the episode has {row.length}"
        yield Finding("video-frames", span.file, problem, row.index, min(len(times), row.length))
    if video.fps > 0.0:
        off = np.flatnonzero(np.abs(times - span.start - np.arange(len(times)) / video.fps) > TIME_TOLERANCE)
        if len(off):
            frame = int(off[0])
            problem = f"is shown at {times[frame]:.4f} s, not at {span.start + frame / video.fps:.4f} s"
            yield Finding("video-times", span.file, problem, row.index, frame)


def _by(size: tuple[int, int]) -> str:
    return f"{size[1]} x {size[0]}"
