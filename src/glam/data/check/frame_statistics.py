"""Contrast and change of each video frame: enough to find cameras that were covered or frozen."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from glam.data.check.finding import Finding, more

BLANK = 2.0  # standard deviation in grey levels; a lens cap gives less than 1, any scene more than 5
STILL = 8  # grey levels; what encoding the same image twice may change, and far less than a moving edge


@dataclass
class FrameStatistics:
    """Collected one frame at a time, so that a long video needs little memory."""

    contrast: list[float] = field(default_factory=list)
    """Standard deviation of each frame."""
    change: list[int] = field(default_factory=list)
    """Largest change of any pixel since the first frame of the episode."""
    _first: NDArray[np.uint8] = field(default_factory=lambda: np.zeros((0, 0), np.uint8))

    def add(self, grey: NDArray[np.uint8], *, begins_episode: bool) -> None:
        """Look at the next frame, (Y, X)."""
        if begins_episode or self._first.shape != grey.shape:
            self._first = grey
        self.contrast.append(float(grey.std()))
        self.change.append(int((np.maximum(grey, self._first) - np.minimum(grey, self._first)).max(initial=0)))


def check_frame_statistics(
    statistics: FrameStatistics, frames: NDArray[np.intp], key: str, file: str, episode: int
) -> Iterator[Finding]:
    """Check the `frames` of a video that belong to one episode."""
    blank = np.flatnonzero(np.array(statistics.contrast)[frames] < BLANK)
    if len(blank):
        problem = f"{key} is black or of one colour{more(len(blank))}"
        yield Finding("image-blank", file, problem, episode, int(blank[0]))
    elif len(frames) > 1 and np.array(statistics.change)[frames].max() < STILL:
        yield Finding("video-frozen", file, f"{key} shows the same image in every frame", episode)
