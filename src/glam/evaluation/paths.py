"""Distance of an executed end-effector path from its reference."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    distances: NDArray[np.float64] = np.linalg.norm(points[:, None] - nearest, axis=-1).min(axis=1)
    return distances


def _angles(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> NDArray[np.float64]:
    first, second = rotation_from_six(ours[..., 3:9]), rotation_from_six(theirs[..., 3:9])
    trace = np.einsum("...ij,...ij->...", first, second)
    angles: NDArray[np.float64] = np.arccos(np.clip((trace - 1.0) / 2.0, -1.0, 1.0))
    return angles


def _is_open(opening: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Compare each opening with its own range: hands may report it on different scales."""
    low, high = opening.min(0), opening.max(0)
    is_open: NDArray[np.bool_] = opening > (low + high) / 2
    return is_open
