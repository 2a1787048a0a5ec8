"""Latency between cameras and motion: what is known of it beforehand, and what is measured while a robot moves.

An action of a chunk is meant for a moment. It must be sent earlier than that by the time from a command to its motion,
and the moments count from when the images were taken, not from when the program got them.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np

from glam_client.errors import GlamError

_LONGEST = 2.0
_KEPT = 10_000


@dataclass(frozen=True)
class Delays:
    """Delays of the robot in seconds, beyond those that the training data had."""

    camera: float = 0.0
    """From the moment that an image shows to the time stamp of the observation."""
    actuation: float = 0.0
    """From a command to its motion."""

    def __post_init__(self) -> None:
        """Refuse what no robot has."""
        for name, seconds in vars(self).items():
            if not 0.0 <= seconds <= _LONGEST:
                raise GlamError(f"the delay {name} is {seconds} s; it must be from 0 to {_LONGEST:g} s")

    @property
    def total(self) -> float:
        """Seconds by which actions are sent earlier."""
        return self.camera + self.actuation


NO_DELAYS = Delays()


class LatencyLog:
    """Seconds from the images of an observation to the first command of its chunk, of the last ten thousand chunks."""

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=_KEPT)

    def add(self, seconds: float) -> None:
        """Note the latency of a chunk."""
        self._seconds.append(seconds)

    def quantile(self, share: float) -> float:
        """Latency that this share of the chunks does not exceed; NaN before the first chunk."""
        return float(np.quantile(self._seconds, share)) if self._seconds else float("nan")

    @property
    def sentence(self) -> str:
        """Report."""
        if not self._seconds:
            return "latency from camera to command: not measured, since no chunk was executed"
        middle, high, most = (1000.0 * self.quantile(share) for share in (0.5, 0.95, 1.0))
        found = f"{middle:.0f} ms at the median, {high:.0f} ms at the 95th percentile, {most:.0f} ms at most"
        return f"latency from camera to command: {found}, {len(self._seconds)} chunks"
