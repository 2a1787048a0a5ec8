"""Rotations and pinhole cameras in numpy; leading dimensions where a docstring shows them.

Quaternions are (w, x, y, z) as in MuJoCo. Places in an image are in units of the image: u from 0 at its left edge to 1
at its right, v from 0 at the upper edge to 1 at the lower. A pinhole camera looks along its z axis, x to the right and
y down.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from glam_client.orientations import scaled_quaternion_from_rotation

Array = NDArray[np.float64]


def rotation_z(angle: float) -> Array:
    """Rotation matrix about the vertical axis."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def rotation_from_vector(vector: Array) -> Array:
    """Rotation matrix of a rotation vector (axis times angle): Rodrigues' formula."""
    angle = float(np.linalg.norm(vector))
    if angle < 1e-12:
        return np.identity(3)
    x, y, z = vector / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.identity(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross


def vector_from_rotation(rotation: Array) -> Array:
    """Rotation vector of a rotation matrix, angle in [0, pi]; the inverse of `rotation_from_vector`."""
    quaternion = quaternion_from_rotation(rotation)
    if quaternion[0] < 0.0:
        quaternion = -quaternion
    sine = float(np.linalg.norm(quaternion[1:]))
    if sine < 1e-12:
        return np.zeros(3)
    return quaternion[1:] * (2.0 * np.arctan2(sine, quaternion[0]) / sine)


def quaternion_from_rotation(rotation: Array) -> Array:
    """Unit quaternion of a rotation matrix. (..., 3, 3) -> (..., 4)."""
    scaled = scaled_quaternion_from_rotation(rotation)
    return np.asarray(scaled / np.linalg.norm(scaled, axis=-1, keepdims=True))


def six_from_rotation(rotation: Array) -> Array:
    """The 6-D rotation code: the first two columns of the matrix, one after the other. (..., 3, 3) -> (..., 6)."""
    return np.concatenate([rotation[..., :, 0], rotation[..., :, 1]], axis=-1)


def rotation_from_six(six: Array) -> Array:
    """Nearest rotation to a 6-D code by Gram-Schmidt, the inverse of `six_from_rotation`. (..., 6) -> (..., 3, 3)."""
    first = six[..., :3] / np.linalg.norm(six[..., :3], axis=-1, keepdims=True)
    second = six[..., 3:] - (first * six[..., 3:]).sum(-1, keepdims=True) * first
    second = second / np.linalg.norm(second, axis=-1, keepdims=True)
    return np.stack([first, second, np.cross(first, second)], axis=-1)


def looking_at(position: Array, target: Array) -> Array:
    """Orientation of a camera that looks along its -z axis from `position` to `target`, its x axis level.

    Straight up or down every x axis is level: then it is that of the world.
    """
    backward = (position - target) / np.linalg.norm(position - target)
    right = np.cross([0.0, 0.0, 1.0], backward)
    length = np.linalg.norm(right)
    right = right / length if length > 1e-9 else np.array([1.0, 0.0, 0.0])
    return np.stack([right, np.cross(backward, right), backward], axis=-1)


_NEAREST = 1e-6
"""Metres before the camera at which a point still counts as before it."""


@dataclass(frozen=True, eq=False)
class PinholeCamera:
    """Intrinsics in units of the image, and the camera's pose in the world."""

    focal: tuple[float, float]
    """Focal lengths over the image's width and height."""
    centre: tuple[float, float]
    """Where the optical axis meets the image."""
    position: Array
    """(3,) metres."""
    rotation: Array
    """(3, 3): columns are the camera's axes in the world."""
    distortion: Array = field(default_factory=lambda: np.zeros(5))
    """k1, k2, p1, p2, k3 of the Brown-Conrady model, as OpenCV orders them."""

    def project(self, points: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Places (..., 2) of points (..., 3), and whether each lies before the camera and inside the image."""
        x, y, z = np.moveaxis((points - self.position) @ self.rotation, -1, 0)
        depth = np.maximum(z, _NEAREST)
        places = np.stack(self._distorted(x / depth, y / depth), axis=-1) * self.focal + self.centre
        return places, (z > _NEAREST) & (places >= 0.0).all(-1) & (places <= 1.0).all(-1)

    def _distorted(self, x: Array, y: Array) -> tuple[Array, Array]:
        k1, k2, p1, p2, k3 = self.distortion
        square = x * x + y * y
        radial = 1.0 + square * (k1 + square * (k2 + square * k3))
        return (
            x * radial + 2.0 * p1 * x * y + p2 * (square + 2.0 * x * x),
            y * radial + p1 * (square + 2.0 * y * y) + 2.0 * p2 * x * y,
        )
