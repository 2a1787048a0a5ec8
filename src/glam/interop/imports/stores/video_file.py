"""A video file as an array of frames and the array of their times."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.data.image_codecs import CONTAINERS
from glam.interop.imports.stores.store import ArraySpec

FRAMES = "frames"
TIMES = "times"
_STRICT = {"err_detect": "crccheck+bitstream+buffer+explode"}
"""What a player would conceal is an error here."""


class VideoStore:
    """An open video: `frames` is (F, Y, X, 3), `times` is (F,) in seconds since the first frame."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with _opened(path) as container:
            context = container.streams.video[0].codec_context
            size = (context.height, context.width)
            self._ticks = _ticks(container)
            unit = float(container.streams.video[0].time_base or 0)
        self._times = (self._ticks - self._ticks[0]) * unit
        self.arrays = {
            FRAMES: ArraySpec((len(self._times), *size, 3), "uint8"),
            TIMES: ArraySpec(self._times.shape, "float64"),
        }
        self.notes: dict[str, Any] = {}
        self._decoder, self._next = self._decoded(), 0

    def read(self, name: str, start: int, stop: int) -> NDArray[Any]:
        """Frames are quick to read one after the other only."""
        if name == TIMES:
            return self._times[start:stop]
        if start < self._next:
            self._decoder, self._next = self._decoded(), 0
        images = np.empty((stop - start, *self.arrays[FRAMES].shape[1:]), np.uint8)
        while self._next < stop:
            frame = self._frame()
            if self._next > start:
                images[self._next - 1 - start] = frame.to_ndarray(format="rgb24")
        if stop == len(self._ticks) and next(self._decoder, None) is not None:
            raise GlamError(f"has more than the {stop} frames that it lists")
        return images

    def _frame(self) -> VideoFrame:
        """The next frame, checked to be the one that is listed here."""
        frame = next(self._decoder, None)
        if frame is None:
            raise GlamError(f"ends after {self._next} of {len(self._ticks)} frames")
        if frame.is_corrupt or frame.pts != self._ticks[self._next]:
            raise GlamError(f"is damaged at {self._times[self._next]:.3f} s")
        if (frame.height, frame.width) != self.arrays[FRAMES].shape[1:3]:
            raise GlamError(f"changes its size at {self._times[self._next]:.3f} s")
        if frame.rotation:
            raise GlamError(f"is to be shown turned by {frame.rotation} degrees; encode it upright")
        self._next += 1
        return frame

    def _decoded(self) -> Iterator[VideoFrame]:
        with _opened(self._path) as container:
            yield from container.decode(container.streams.video[0])


@contextmanager
def _opened(path: Path) -> Iterator[InputContainer]:
    try:
        with av.open(path, metadata_errors="replace", options=_STRICT | CONTAINERS) as container:
            # The stream of an unknown codec has no context, whatever its type says.
            if not container.streams.video or not container.streams.video[0].codec_context:
                raise GlamError("has no video that can be decoded")
            context = container.streams.video[0].codec_context
            context.thread_count = 1
            context.options = _STRICT
            yield container
    except av.error.FFmpegError as error:
        raise GlamError(f"is not a sound video ({error.strerror})") from None


def _ticks(container: InputContainer) -> NDArray[np.int64]:
    """Times of all frames in order, in the units of the stream, without decoding any."""
    stream = container.streams.video[0]
    packets = [packet for packet in container.demux(stream) if packet.size and not packet.is_discard]
    if any(packet.is_corrupt or packet.pts is None for packet in packets):
        raise GlamError("is damaged: a frame has no time")
    if not packets:
        raise GlamError("has no frames")
    if stream.frames not in (0, len(packets)):
        raise GlamError(f"holds {len(packets)} frames, not the {stream.frames} that it declares")
    ticks = np.sort(np.array([packet.pts for packet in packets], np.int64))
    if not (np.diff(ticks) > 0).all():
        raise GlamError("is damaged: two frames have the same time")
    return ticks
