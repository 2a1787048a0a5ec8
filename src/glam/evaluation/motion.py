"""Motion of a hand: its distance from a reference path, and its smoothness by the two scores of the paper's appendix.

The scores are computed on the speed v(t) of the tool point.

The jerk score is a log dimensionless jerk (Balasubramanian et al.), with the paper's T^5 where v calls for T^3: as
printed it is not free of units, and a motion of the same shape that lasts c times as long scores 2 ln c less.
The FFT score is the mean weighted frequency of CAPS (Mysore et al.); it grows with speed, so it compares motions of
similar speed only.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.geometry import rotation_from_six
from glam.data.schema import GRIPPER, POSE_SIZE

Poses = NDArray[np.float32]


@dataclass(frozen=True)
class PathErrors:
    """Errors of a path, averaged over time and arms."""

    aligned_mm: float
    """Distance between positions at the same moment: holds delay as well as deviation."""
    path_mm: float
    """Distance from the executed positions to the nearest point of the reference path: deviation alone."""
    degrees: float
    """Angle between orientations at the same moment."""
    gripper: float
    """Agreement: share of moments in which both grippers are on the same side of half-way between their extremes."""


def path_errors(executed: Poses, reference: Poses) -> PathErrors:
    """Compare two recordings of `observation.ee_pose`, frame by frame. (T, 10 K) each."""
    assert executed.shape == reference.shape, (executed.shape, reference.shape)
    shape = (len(executed), -1, POSE_SIZE)
    ours, theirs = executed.reshape(shape).astype(float), reference.reshape(shape).astype(float)
    aligned = np.linalg.norm(ours[..., :3] - theirs[..., :3], axis=-1)  # (T, K)
    return PathErrors(
        aligned_mm=1000.0 * float(aligned.mean()),
        path_mm=1000.0 * float(_to_polyline(ours[..., :3], theirs[..., :3]).mean()),
        degrees=float(np.degrees(_angles(ours, theirs)).mean()),
        gripper=float((_is_open(ours[..., GRIPPER]) == _is_open(theirs[..., GRIPPER])).mean()),
    )


def _to_polyline(points: NDArray[np.float64], corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distance of each point to the nearest point of the path through `corners`. (T, K, 3) twice -> (T, K)."""
    start, end = corners[:-1], corners[1:]  # (T - 1, K, 3)
    along = end - start
    length = np.maximum((along**2).sum(-1), 1e-12)
    share = ((points[:, None] - start) * along).sum(-1) / length  # (T, T - 1, K)
    nearest = start + np.clip(share, 0.0, 1.0)[..., None] * along
    return np.linalg.norm(points[:, None] - nearest, axis=-1).min(axis=1)


def _angles(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> NDArray[np.float64]:
    first, second = rotation_from_six(ours[..., 3:9]), rotation_from_six(theirs[..., 3:9])
    trace = np.einsum("...ij,...ij->...", first, second)
    return np.arccos(np.clip((trace - 1.0) / 2.0, -1.0, 1.0))


def _is_open(opening: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Compare each opening with its own range: hands may report it on different scales."""
    low, high = opening.min(0), opening.max(0)
    return opening > (low + high) / 2


Speeds = NDArray[np.float64]

STANDSTILL = 0.01
"""A hand that is never faster than this stood still, in m/s: its tremor is no motion to be scored."""
_SHORTEST = 3
"""Speeds that a second difference needs."""
_LEAST_JERK = 1e-12
"""Perfectly even speed would score infinity."""


@dataclass(frozen=True)
class Smoothness:
    """Scores of one hand in one episode."""

    jerk: float
    """-ln(T^5 / v_peak^2 * integral of (d^2v/dt^2)^2 dt), T in seconds: less negative is smoother."""
    fft: float
    """2 / (n f_s) * sum of M_i f_i, in m/s: lower is smoother."""

    def __post_init__(self) -> None:
        """A score that is no number would spoil every mean it enters."""
        if not np.isfinite([self.jerk, self.fft]).all():
            raise GlamError(f"smoothness {self.jerk}, {self.fft}: both scores must be finite numbers")


def smoothness(poses: NDArray[np.floating[Any]], rate: float) -> tuple[Smoothness, ...]:
    """Scores of each hand that moved, in the order of the arms, from a recorded `observation.ee_pose` at `rate` Hz.

    `poses` is (T, 10 K). Hands that stood still, and episodes too short to have a jerk, have no score.
    """
    return tuple(
        Smoothness(jerk_score(speeds, rate), fft_score(speeds, rate))
        for speeds in tool_speeds(poses, rate)
        if len(speeds) >= _SHORTEST and speeds.max() > STANDSTILL
    )


def tool_speeds(poses: NDArray[np.floating[Any]], rate: float) -> Speeds:
    """Speed of each tool point between one frame and the next, in m/s. (T, 10 K) -> (K, T - 1)."""
    hands = poses.astype(np.float64).reshape(len(poses), poses.shape[1] // POSE_SIZE, POSE_SIZE)
    if not np.isfinite(hands).all():
        raise GlamError("a recorded end-effector pose is not finite; such an episode has no smoothness")
    return np.linalg.norm(np.diff(hands[..., :3], axis=0), axis=-1).T * rate


def jerk_score(speeds: Speeds, rate: float) -> float:
    """Less negative is smoother. Scaling all speeds changes nothing."""
    duration = len(speeds) / rate
    jerk = np.diff(speeds, 2) * rate**2
    roughness = duration**5 / speeds.max() ** 2 * float((jerk**2).sum()) / rate
    return -float(np.log(max(roughness, _LEAST_JERK)))


def fft_score(speeds: Speeds, rate: float) -> float:
    """Lower is smoother. Grows in proportion to the speeds; the mean speed has frequency zero and does not count."""
    size = len(speeds)
    amplitudes = np.abs(np.fft.rfft(speeds)[1:]) * (2 / size)
    if size % 2 == 0:
        amplitudes[-1] /= 2  # half the rate has no negative twin
    frequencies = np.fft.rfftfreq(size, 1 / rate)[1:]
    return float(2 / (len(frequencies) * rate) * (amplitudes @ frequencies))
