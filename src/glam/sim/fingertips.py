"""Fingertips in the cameras of a scene: where each shows, and whether anything hides it.

A finger does not hide its own tip: what is tracked on a film is the tip's surface. Everything else does, the palm and
the other finger as well.
"""

from collections.abc import Sequence
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from glam.core.geometry import Array, PinholeCamera
from glam.sim.render import COLLISION_GROUP

_BACK_TO_FRONT = np.diag([1.0, -1.0, -1.0])
"""MuJoCo's cameras look along -z with y up, ours along z with y down."""
_SLACK = 0.002
"""Metres before a tip from which on a surface counts as its own: two touching fingers hide nothing."""
_DRAWN = np.array([group < COLLISION_GROUP for group in range(6)], np.uint8)


class Fingertip(NamedTuple):
    """A point that is fixed to one body, the outermost link of a finger."""

    body: int
    offset: NDArray[np.float64]
    """(3,) in the frame of the body, in metres."""

    def place(self, data: mujoco.MjData) -> Array:
        """The point in the world."""
        place: Array = data.xpos[self.body] + data.xmat[self.body].reshape(3, 3) @ self.offset
        return place


def camera_of(model: mujoco.MjModel, data: mujoco.MjData, camera: int, size: tuple[int, int]) -> PinholeCamera:
    """A camera of the scene as it stands now; `size` is height and width of its images."""
    focal = 0.5 / np.tan(np.radians(model.cam_fovy[camera]) / 2)
    rotation = data.cam_xmat[camera].reshape(3, 3) @ _BACK_TO_FRONT
    return PinholeCamera((focal * size[0] / size[1], focal), (0.5, 0.5), data.cam_xpos[camera].copy(), rotation)


def seen_from(
    model: mujoco.MjModel, data: mujoco.MjData, cameras: Sequence[PinholeCamera], tips: Sequence[Fingertip]
) -> tuple[Array, NDArray[np.bool_]]:
    """Places (V, F, 2) of the tips in each camera, and whether each shows (V, F)."""
    points = np.stack([tip.place(data) for tip in tips])
    places, seen = zip(*(camera.project(points) for camera in cameras), strict=True)
    free = [
        [_is_free(model, data, camera.position, point, tip.body) for tip, point in zip(tips, points, strict=True)]
        for camera in cameras
    ]
    return np.stack(places), np.stack(seen) & np.array(free)


def _is_free(model: mujoco.MjModel, data: mujoco.MjData, eye: Array, point: Array, own: int) -> bool:
    """True if nothing that is drawn lies between the eye and the point, but for the body `own`."""
    way = point - eye
    length = float(np.linalg.norm(way))
    hit = np.zeros(1, np.int32)
    distance = mujoco.mj_ray(model, data, eye, way / length, _DRAWN, 1, own, hit)
    return bool(distance < 0.0 or distance > length - _SLACK)
