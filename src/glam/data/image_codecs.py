"""Images as bytes and back: RGB frames as mp4, each at its exact time, and object masks as PNG.

Video is h264 (libx264, `ultrafast`, crf 16): at 96 px it takes about a fifth of the time of AV1 (SVT, preset 12) and
is 2 dB nearer to the source, for files two to three times as large. Most of what is lost on clean images is lost to
chroma subsampling, which players demand.

Masks lie in the data file, lossless, one channel per object. Their PNG is put together here, unfiltered and lightly
compressed: on two-valued areas this is several times faster than Pillow at its default level, for files of about the
same size (0.3 kB at 96 px). Reading takes any PNG or JPEG.
"""

import io
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.reformatter import Interpolation, VideoReformatter
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from glam.core.errors import GlamError

CODEC = "h264"
PIXEL_FORMAT = "yuv420p"
TIME_TOLERANCE = 1e-4  # seconds between a frame and its place on the grid; LeRobot's own tolerance

# g=2: any frame is at most one frame from a key frame, so random access is cheap. One thread: the bytes of a
# multi-threaded encode depend on the number of cores.
_ENCODER_OPTIONS = {"preset": "ultrafast", "crf": "16", "g": "2", "bf": "0", "threads": "1"}
# From PyAV 17 on, pixel conversion takes a thread per core by default: twice as slow at 96 px.
_ONE_THREAD: dict[str, Any] = {"threads": 1} if int(av.__version__.split(".")[0]) >= 17 else {}
_NO_VERSION_STRINGS = {"fflags": "+bitexact"}
CONTAINERS = {"format_whitelist": "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi", "protocol_whitelist": "file"}
"""Options with which a video file is opened: a play list that calls itself one could name other files, or addresses."""
MOST_PIXELS = 64_000_000
"""Pixels of an image or of a frame; a file of a few bytes may claim any number."""
MOST_BYTES = 32 << 30
"""Bytes of the unpacked frames of one episode: an hour at 640 x 480 and 10 Hz."""


@dataclass(frozen=True)
class VideoSpan:
    """The frames of one episode inside a video file, which may hold many episodes one after the other."""

    path: Path
    start: float
    """Time of the first frame inside the file, in seconds."""
    frames: int
    ends_file: bool
    """Whether the file must end with this episode."""


def encode_video(frames: NDArray[np.uint8], fps: int) -> bytes:
    """Bytes of an mp4 whose frame k is shown at k / fps. `frames` is (T, Y, X, 3); equal frames give equal bytes."""
    buffer = io.BytesIO()
    convert = VideoReformatter()
    with av.open(buffer, "w", format="mp4", container_options=_NO_VERSION_STRINGS) as container:
        stream = container.add_stream("libx264", rate=fps, options=_ENCODER_OPTIONS)
        stream.height, stream.width = frames.shape[1:3]
        stream.pix_fmt = PIXEL_FORMAT
        for k, pixels in enumerate(frames):
            rgb = VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="rgb24")
            # Area averaging of the chroma loses least (0.5 dB over the default).
            frame = convert.reformat(rgb, format=PIXEL_FORMAT, interpolation=Interpolation.AREA, **_ONE_THREAD)
            frame.pts, frame.time_base = k, Fraction(1, fps)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return buffer.getvalue()


def video_info(fps: int, size: tuple[int, int]) -> dict[str, Any]:
    """Entry of LeRobot's `info.json` for a video made by `encode`."""
    return {
        "video.height": size[0],
        "video.width": size[1],
        "video.codec": CODEC,
        "video.pix_fmt": PIXEL_FORMAT,
        "video.is_depth_map": False,
        "video.fps": fps,
        "video.channels": 3,
        "has_audio": False,
    }


def decode_span(span: VideoSpan, fps: int) -> NDArray[np.uint8]:
    """The frames of one episode, (T, Y, X, 3), each checked to be the frame of its moment."""
    frames: list[NDArray[np.uint8]] = []
    for pixels in frames_of(span, fps):
        if span.frames * pixels.nbytes > MOST_BYTES:
            raise GlamError(f"{span.path}: {span.frames} frames of {pixels.nbytes} bytes in one episode; shorten it")
        frames.append(pixels)
    return _stacked(span.path, frames)


def frames_of(span: VideoSpan, fps: int) -> Iterator[NDArray[np.uint8]]:
    """The frames of one episode, (Y, X, 3) each, one at a time; a fault of the video is an error when it is reached."""
    path, count = span.path, 0
    with _opened(path) as container:
        if span.start > 0.0:
            stream = container.streams.video[0]
            container.seek(round(span.start / float(stream.time_base or 1)), stream=stream)
        for k, pixels in _on_grid(_frames(path, container), path, span.start, fps):
            if k == span.frames and span.ends_file:
                raise GlamError(f"{path}: the video goes on after frame {k}, where its last episode ends")
            if k == span.frames:
                break
            yield pixels
            count += 1
    if count < span.frames:
        raise GlamError(f"{path}: the video ends after {count} of {span.frames} frames; restore it from a copy")


@contextmanager
def _opened(path: Path) -> Iterator[InputContainer]:
    """An open video; whatever FFmpeg complains about inside is a clear error."""
    if not path.is_file():
        raise GlamError(f"{path}: no such video file; restore it from a copy")
    try:
        with av.open(path, metadata_errors="replace", options=dict(CONTAINERS)) as container:
            # The stream of an unknown codec has no context, whatever its type says.
            if not container.streams.video or not container.streams.video[0].codec_context:
                raise GlamError(f"{path}: the file has no video that can be decoded; restore it from a copy")
            context = container.streams.video[0].codec_context
            require_modest(str(path), context.height, context.width)
            context.thread_count = 1
            yield container
    except av.error.FFmpegError as error:
        raise GlamError(f"{path}: the video cannot be read ({error.strerror}); restore it from a copy") from None


def require_modest(where: str, height: int, width: int) -> None:
    """Refuse an image or a frame of absurdly many pixels before it is unpacked."""
    if height * width > MOST_PIXELS:
        raise GlamError(f"{where}: an image of {width} x {height} pixels; at most {MOST_PIXELS} are read")


def _frames(path: Path, container: InputContainer) -> Iterator[VideoFrame]:
    """Decoded frames; what a decoder would conceal is an error here."""
    for frame in container.decode(container.streams.video[0]):
        if frame.is_corrupt or frame.pts is None:
            raise GlamError(f"{path}: the video is damaged at {frame.time or 0.0:.3f} s; restore it from a copy")
        yield frame


def _stacked(path: Path, frames: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    if len({pixels.shape for pixels in frames}) > 1:
        raise GlamError(f"{path}: the video changes its size; restore it from a copy")
    return np.stack(frames)


def _on_grid(
    frames: Iterator[VideoFrame], path: Path, start: float, fps: int
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Number the frames from `start` on, and insist that frame k is at start + k / fps."""
    convert = VideoReformatter()
    k = 0
    for frame in frames:
        time = float((frame.pts or 0) * (frame.time_base or 0))
        if time < start - TIME_TOLERANCE:
            continue  # between the key frame and the episode
        if abs(time - start - k / fps) > TIME_TOLERANCE:
            raise GlamError(
                f"{path}: frame {k} of the episode is at {time:.4f} s instead of {start + k / fps:.4f} s; "
                f"the video must have every frame at {fps} frames per second"
            )
        yield k, np.asarray(convert.reformat(frame, format="rgb24", **_ONE_THREAD).to_ndarray(), np.uint8)
        k += 1


_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}  # channels -> L, LA, RGB, RGBA
_CHANNELS = {"L": 1, "LA": 2, "RGB": 3, "RGBA": 4}
_BOMBS = (Image.DecompressionBombError, Image.DecompressionBombWarning)  # of Pillow, at its own larger limits


def encode_image(image: NDArray[np.uint8]) -> bytes:
    """PNG bytes of (Y, X, C) with 1 to 4 channels."""
    height, width, channels = image.shape
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = image.reshape(height, -1)
    pixels = zlib.compress(rows.tobytes(), level=3)  # from 4 on, zlib takes several times longer
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")


def decode_image(content: bytes) -> NDArray[np.uint8]:
    """(Y, X, C) of a PNG or JPEG."""
    try:
        with _opened_image(content) as image:
            require_modest("the header", image.height, image.width)
            pixels = np.asarray(image)
            channels = _CHANNELS[image.mode]
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, *_BOMBS) as error:
        raise GlamError(f"the image cannot be read ({error})") from None
    except KeyError as error:
        raise GlamError(f"the image has mode {error}; allowed are {', '.join(_CHANNELS)}") from None
    return pixels.reshape(*pixels.shape[:2], channels)


def _opened_image(content: bytes) -> Image.Image:
    with warnings.catch_warnings(action="error", category=Image.DecompressionBombWarning):
        return Image.open(io.BytesIO(content), formats=("PNG", "JPEG"))


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
