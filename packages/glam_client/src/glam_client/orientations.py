"""Rotations of whole episodes as quaternions (x, y, z, w), the order of most recordings. (..., 4) throughout."""

import numpy as np
from numpy.typing import NDArray

from glam_client.errors import GlamError

Array = NDArray[np.float64]

_OFF_UNIT = 0.02  # what rounding to two digits does; anything else is no rotation
_LARGEST_TURN = 4.0 * np.pi


def unit_quaternions(quaternions: Array, where: str) -> Array:
    """Normalized quaternions; refused if their length is not nearly one."""
    length = np.linalg.norm(quaternions, axis=-1, keepdims=True)
    wrong = np.argwhere(~(np.abs(length - 1.0) < _OFF_UNIT))
    if len(wrong):
        raise GlamError(f"{where}: the rotation of frame {wrong[0, 0]} is no unit quaternion")
    return quaternions / length


def quaternions_from_vectors(vectors: Array, where: str) -> Array:
    """Quaternions of rotation vectors, axis times angle in rad. (..., 3) -> (..., 4)."""
    angle = np.linalg.norm(vectors, axis=-1, keepdims=True)
    wrong = np.argwhere(~(angle < _LARGEST_TURN))
    if len(wrong):
        raise GlamError(f"{where}: the rotation vector of frame {wrong[0, 0]} is longer than two turns; is it in rad?")
    # sin(a / 2) / a, which is 1 / 2 at 0
    return np.concatenate([0.5 * np.sinc(angle / (2.0 * np.pi)) * vectors, np.cos(angle / 2.0)], axis=-1)


def quaternions_from_six(six: Array, where: str) -> Array:
    """Quaternions of the first two columns of rotation matrices, one after the other. (..., 6) -> (..., 4)."""
    first, second = six[..., :3], six[..., 3:]
    skew = np.stack([(first**2).sum(-1) - 1.0, (second**2).sum(-1) - 1.0, (first * second).sum(-1)], axis=-1)
    wrong = np.argwhere(~(np.abs(skew) < 2.0 * _OFF_UNIT))
    if len(wrong):
        raise GlamError(f"{where}: the columns of the rotation of frame {wrong[0, 0]} are no unit vectors")
    matrices = np.stack([first, second, np.cross(first, second)], axis=-1)
    quaternions = np.roll(scaled_quaternion_from_rotation(matrices), -1, axis=-1)
    return np.asarray(quaternions / np.linalg.norm(quaternions, axis=-1, keepdims=True))


def scaled_quaternion_from_rotation(rotation: Array) -> Array:
    """Quaternion (w, x, y, z) of a rotation matrix, as in MuJoCo, not normalized. (..., 3, 3) -> (..., 4).

    Of four candidates, the numerically safest one is chosen; its length is 2 to 4.
    """
    m = rotation
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    xy, xz, yz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    wx, wy, wz = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    # Four times the products of (w, x, y, z) with one another: each row is a candidate, the largest square the safest.
    rows = (
        (1.0 + xx + yy + zz, wx, wy, wz),
        (wx, 1.0 + xx - yy - zz, xy, xz),
        (wy, xy, 1.0 - xx + yy - zz, yz),
        (wz, xz, yz, 1.0 - xx - yy + zz),
    )
    products = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)  # (..., 4, 4)
    largest = np.argmax(np.diagonal(products, axis1=-2, axis2=-1), axis=-1)
    return np.asarray(np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :])


def six_from_quaternions(quaternions: Array) -> Array:
    """The first two columns of the matrices. (..., 4) -> (..., 6)."""
    x, y, z, w = np.moveaxis(quaternions, -1, 0)
    first = (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y))
    second = (2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x))
    return np.stack([*first, *second], axis=-1)


def pose_rows(positions: Array, quaternions: Array, openings: Array) -> Array:
    """The entries of `observation.ee_pose`, (T, 10 K), of (T, K, 3), (T, K, 4) and (T, K)."""
    parts = [positions, six_from_quaternions(quaternions), openings[..., None]]
    return np.concatenate(parts, axis=-1).reshape(len(positions), -1)


def slerp(start: Array, end: Array, fraction: Array) -> Array:
    """Spherical linear interpolation on the shorter path; `fraction` (...,) of the way from `start` to `end`."""
    cosine = (start * end).sum(-1, keepdims=True)
    end = np.where(cosine < 0.0, -end, end)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    part = fraction[..., None]
    # sin(u a) / sin(a), which is u where a is 0
    with np.errstate(invalid="ignore", divide="ignore"):
        sine = np.sin(angle)
        before = np.where(sine < 1e-9, 1.0 - part, np.sin((1.0 - part) * angle) / sine)
        after = np.where(sine < 1e-9, part, np.sin(part * angle) / sine)
    mixed = before * start + after * end
    return mixed / np.linalg.norm(mixed, axis=-1, keepdims=True)
