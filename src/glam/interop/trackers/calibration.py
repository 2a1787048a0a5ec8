"""Calibrations of cameras, as users write them into a JSON file.

    {"cameras": {"front": {"size": [640, 480], "focal": [610, 610], "centre": [320, 240],
                           "position": [1.2, 0, 0.6], "rotation": [[...], [...], [...]]}}}

Size (width, height), focal lengths and centre are pixels of the calibrated images, whatever the size of the stored
ones; they must show the same field of view. Position (m) and rotation are the camera's in the frame of the poses: the
columns of the rotation are its axes, x to the right of the image, y down, z forwards. "distortion" holds k1, k2, p1,
p2, k3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from glam.core import files
from glam.core.configs import from_json
from glam.core.errors import GlamError
from glam.core.geometry import PinholeCamera

_SKEW = 1e-3


@dataclass(frozen=True)
class CameraCalibration:
    """One camera."""

    size: tuple[float, float]
    focal: tuple[float, float]
    centre: tuple[float, float]
    position: tuple[float, float, float]
    rotation: tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)

    @property
    def camera(self) -> PinholeCamera:
        """The same in units of the image."""
        (width, height), rotation = self.size, np.array(self.rotation)
        if min(width, height, *self.focal) <= 0.0:
            raise GlamError("size and focal must be above 0")
        if not np.allclose(rotation @ rotation.T, np.identity(3), atol=_SKEW) or np.linalg.det(rotation) < 0.0:
            raise GlamError("rotation is no rotation: its columns must be of length 1, at right angles, right-handed")
        focal, centre = self.focal, self.centre
        return PinholeCamera(
            (focal[0] / width, focal[1] / height),
            (centre[0] / width, centre[1] / height),
            np.array(self.position),
            rotation,
            np.array(self.distortion),
        )


@dataclass(frozen=True)
class Calibration:
    """Content of a file."""

    cameras: dict[str, CameraCalibration]


def read_calibration(path: Path, wanted: Sequence[str] = ()) -> dict[str, PinholeCamera]:
    """Cameras of a file by their names; only the wanted ones, if any are named."""
    try:
        known = from_json(Calibration, files.read_json(path)).cameras
    except GlamError as error:
        raise GlamError(f"{path}: {error}") from None
    missing = [name for name in wanted if name not in known]
    if missing or not known:
        raise GlamError(f"{path}: no camera {missing[0] if missing else 'at all'}; it has {', '.join(known) or 'none'}")
    found = {}
    for name in wanted or known:
        try:
            found[name] = known[name].camera
        except GlamError as error:
            raise GlamError(f"{path}: {name}: {error}") from None
    return found
