"""Pinhole cameras: where points of the world show in an image.

Places are in units of the image: u from 0 at its left edge to 1 at its right, v from 0 at the upper edge to 1 at the
lower. The camera looks along its z axis, x to the right and y down.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

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
