"""Frames as a film that every browser plays: H.264 in mp4, small enough to live inside a page."""

import io
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from glam.core.errors import GlamError

Frames = NDArray[np.uint8]
"""(T, Y, X, 3) RGB."""

# crf is the constant rate factor: 18 is visually lossless, 28 shows blocks on small images. One thread, and no
# macroblock tree: with vectors of 512 bits x264's tree differs from one encoding of the same frames to the next.
_ENCODER_OPTIONS = {"crf": "24", "preset": "veryfast", "threads": "1", "mbtree": "0"}


@dataclass(frozen=True)
class EncodedFilm:
    """An encoded film and one of its frames as an image, which a browser shows before playing."""

    mp4: bytes
    poster: bytes
    width: int
    height: int


def encode_film(frames: Frames, fps: float) -> EncodedFilm:
    """Encode `frames`, the first of them as the image; height and width must be even, as yuv420p needs."""
    height, width = frames.shape[1:3]
    return EncodedFilm(_mp4(frames, fps), png(frames[0]), width, height)


def read_film(path: Path) -> EncodedFilm:
    """A film from its file, with its last frame as the image: how it ended."""
    content = path.read_bytes()
    (end,) = deque(_decoded(content, path), maxlen=1)
    return EncodedFilm(content, png(end), end.shape[1], end.shape[0])


def moments(path: Path, count: int) -> Frames:
    """Some frames of a film, as far apart as can be, its first and its last among them. (count, Y, X, 3)."""
    frames = list(_decoded(path.read_bytes(), path))
    return np.stack([frames[number] for number in np.linspace(0, len(frames) - 1, count).round().astype(int)])


def halved(film: EncodedFilm) -> EncodedFilm:
    """The film at half its height and width, for pages that would be too heavy; about a third of the bytes."""
    frames = np.stack(list(_decoded(film.mp4, Path("film"))))
    small = reduced(frames[:, : film.height // 4 * 4, : film.width // 4 * 4], 2)
    return EncodedFilm(_mp4(small, _rate(film.mp4)), png(small[-1]), small.shape[2], small.shape[1])


def enlarged(frames: Frames, times: int) -> Frames:
    """Every pixel as a square of `times` x `times`: chroma at half resolution then no longer blurs thin lines."""
    return frames.repeat(times, axis=-3).repeat(times, axis=-2)


def reduced(frames: Frames, times: int) -> Frames:
    """The mean of every square of `times` x `times` pixels: edges of images drawn too large become smooth."""
    total = np.zeros_like(frames[..., ::times, ::times, :], np.uint16)
    for row in range(times):
        for column in range(times):
            total += frames[..., row::times, column::times, :]
    return ((total + times * times // 2) // (times * times)).astype(np.uint8)


def tiled(rows: Sequence[Sequence[Frames]], gap: int = 2) -> Frames:
    """Films of equal length and size side by side and one above the other, with a dark gap between them."""
    lines = [_with_gaps(row, axis=-2, gap=gap) for row in rows]
    return _with_gaps(lines, axis=-3, gap=gap)


def outlined(frames: Frames, masks: Frames, colours: Sequence[tuple[int, int, int]]) -> Frames:
    """Draw the edge of every mask channel (T, Y, X, C) in its colour, and a white line around it that always shows."""
    drawn = frames.copy()
    for channel, colour in enumerate(colours):
        inside = masks[..., channel] > 127
        drawn[_edge(~inside)] = 255
        drawn[_edge(inside)] = colour
    return drawn


def png(frame: Frames) -> bytes:
    """An image of one frame."""
    target = io.BytesIO()
    Image.fromarray(frame).save(target, format="PNG", optimize=True)
    return target.getvalue()


def _edge(inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Pixels inside that touch one outside; the border of the image is no edge."""
    padded = np.pad(inside, ((0, 0), (1, 1), (1, 1)), mode="edge")
    surrounded = padded[:, :-2, 1:-1] & padded[:, 2:, 1:-1] & padded[:, 1:-1, :-2] & padded[:, 1:-1, 2:]
    return inside & ~surrounded


def _with_gaps(parts: Sequence[Frames], axis: int, gap: int) -> Frames:
    shape = list(parts[0].shape)
    shape[axis] = gap
    between = np.full(shape, 24, np.uint8)
    pieces = [piece for part in parts for piece in (between, part)][1:]
    return np.concatenate(pieces, axis=axis)


def _decoded(mp4: bytes, path: Path) -> Iterator[Frames]:
    """At least one frame."""
    frame = None
    try:
        with av.open(io.BytesIO(mp4), "r") as container:
            for frame in container.decode(video=0):
                yield frame.to_ndarray(format="rgb24").astype(np.uint8)
    except (av.error.FFmpegError, IndexError) as error:
        raise GlamError(f"{path}: not a film that can be read ({error}); make it again") from None
    if frame is None:
        raise GlamError(f"{path}: a film without frames; make it again")


def _rate(mp4: bytes) -> float:
    with av.open(io.BytesIO(mp4)) as container:
        return float(container.streams.video[0].average_rate or 1)


def _mp4(frames: Frames, fps: float) -> bytes:
    target = io.BytesIO()
    with av.open(target, mode="w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=round(fps))
        stream.height, stream.width = frames.shape[1:3]
        stream.pix_fmt = "yuv420p"
        stream.options = dict(_ENCODER_OPTIONS)
        for frame in frames:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")))
        container.mux(stream.encode())
    return target.getvalue()
