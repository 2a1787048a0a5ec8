"""Imperfections of real cameras and pose trackers, drawn anew for every episode.

Cameras have placement error, exposure, blur and noise; poses of a tracker have a calibration error.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.geometry import looking_at, rotation_from_six, rotation_from_vector, rotation_z, six_from_rotation
from glam.data.schema import POSE_SIZE
from glam.data.tracks import points_of, tracks_of

Images = NDArray[np.uint8]


@dataclass(frozen=True)
class CameraNoise:
    """Ranges of the imperfections; all zero for a perfect camera."""

    position_error: float = 0.0
    """Largest displacement of a camera from its nominal place, in metres."""
    angle_error: float = 0.0
    """Largest rotation of a camera from its nominal direction, in radians."""
    exposure: float = 0.0
    """Gain is drawn from 1 +- exposure, one for each camera and episode."""
    blur: float = 0.0
    """Largest standard deviation of the blur, in pixels of a 96-pixel image."""
    noise: float = 0.0
    """Standard deviation of the noise of each pixel and frame, in grey levels."""

    def draw(self, cameras: int, rng: np.random.Generator) -> "EpisodeCameraNoise":
        """The imperfections of one episode."""
        return EpisodeCameraNoise(
            shifts=_in_ball(cameras, self.position_error, rng),
            turns=np.stack([rotation_from_vector(v) for v in _in_ball(cameras, self.angle_error, rng)]),
            gains=1.0
            + self.exposure * rng.uniform(-1.0, 1.0, (cameras, 1)) * np.ones(3)
            + 0.15 * self.exposure * rng.uniform(-1.0, 1.0, (cameras, 3)),
            blurs=self.blur * rng.uniform(0.3, 1.0, cameras),
            noise=self.noise,
            rng=rng,
        )


PERFECT_CAMERA = CameraNoise()


@dataclass(frozen=True)
class EpisodeCameraNoise:
    """One draw of the imperfections; `rng` makes the noise of each frame."""

    shifts: NDArray[np.float64]  # (V, 3) metres
    turns: NDArray[np.float64]  # (V, 3, 3)
    gains: NDArray[np.float64]  # (V, 3)
    blurs: NDArray[np.float64]  # (V,) pixels at 96 px
    noise: float
    rng: np.random.Generator

    @property
    def is_perfect(self) -> bool:
        """A perfect camera leaves images as they are."""
        return self.noise == 0.0 and not self.blurs.any() and bool((self.gains == 1.0).all())

    def apply(self, images: Images) -> Images:
        """Expose, blur and add noise. (V, Y, X, 3) -> the same shape."""
        if self.is_perfect:
            return images
        exposed = images.astype(np.float32) * self.gains[:, None, None, :].astype(np.float32)
        scale = images.shape[1] / 96.0
        pairs = zip(exposed, self.blurs, strict=True)
        noisy = np.stack([_gaussian_blur(view, blur * scale) for view, blur in pairs])
        noisy += self.noise * self.rng.standard_normal(noisy.shape, dtype=np.float32)
        return np.clip(np.rint(noisy), 0, 255).astype(np.uint8)


def _in_ball(count: int, radius: float, rng: np.random.Generator) -> NDArray[np.float64]:
    directions = rng.standard_normal((count, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return directions * radius * rng.uniform(0.0, 1.0, (count, 1))


def _gaussian_blur(image: NDArray[np.float32], sigma: float) -> NDArray[np.float32]:
    """Separable Gaussian blur of (Y, X, 3) with edges repeated."""
    if sigma < 0.05:
        return image
    reach = max(1, int(np.ceil(3 * sigma)))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    weights = (weights / weights.sum()).astype(np.float32)
    return _smoothed(_smoothed(image, weights, axis=0), weights, axis=1)


def _smoothed(image: NDArray[np.float32], weights: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    """Weighted sums along an axis, edges repeated. Reuses its arrays: films spend most of their time here."""
    reach, length = len(weights) // 2, image.shape[axis]
    padded = np.pad(image, [(reach, reach) if a == axis else (0, 0) for a in range(3)], mode="edge")
    total, part = np.zeros_like(image), np.empty_like(image)
    for start, weight in enumerate(weights):
        moved = padded[start : start + length] if axis == 0 else padded[:, start : start + length]
        total += np.multiply(moved, weight, out=part)
    return total


@dataclass(frozen=True)
class CameraOffset:
    """Other places of the cameras than the usual ones, aimed at the same scene; the usual ones by default."""

    centimetres: float = 0.0
    """Length of the shift; its direction is random."""
    degrees: float = 0.0
    """Angle by which a camera goes around the point it is aimed at, about a random axis."""
    varies: bool = False
    """Each episode has an offset of its own; otherwise all episodes share one."""

    def __post_init__(self) -> None:
        """Refuse offsets out of range."""
        if not 0.0 <= self.centimetres <= 50.0:
            raise GlamError(f"--camera-offset-cm {self.centimetres} must lie between 0 and 50")
        if not 0.0 <= self.degrees <= 45.0:
            raise GlamError(f"--camera-offset-degrees {self.degrees} must lie between 0 and 45")

    def moved(
        self, position: NDArray[np.float64], target: NDArray[np.float64], rng: np.random.Generator
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Position and orientation of a camera that usually stands at `position`."""
        turn = rotation_from_vector(math.radians(self.degrees) * _direction(rng))
        place = target + turn @ (position - target) + self.centimetres / 100.0 * _direction(rng)
        return place, looking_at(place, target)


USUAL_CAMERAS = CameraOffset()


@dataclass(frozen=True)
class Tracker:
    """Errors of the measured poses; none by default."""

    position_error_mm: float = 0.0
    """Length of the shift that all poses of an episode share; its direction is random."""
    angle_error_degrees: float = 0.0
    """Angle of the turn that all poses of an episode share, about where the episode begins and a random axis."""
    sees_gripper: bool = True
    """The opening of the gripper is measured; otherwise it is recorded as 0."""
    tool_offset_mm: float = 0.0
    """Distance, along the axis of the tool, by which the measured point lies beyond the true one in every episode, as
    with a tool of another length; negative if it lies before it."""
    tool_turn_degrees: float = 0.0
    """Angle by which the measured tool is turned about the x axis of the true one, in every episode."""
    has_own_frame: bool = False
    """Every episode has an origin and a heading of its own, as with SLAM. Gravity is known: only the heading turns."""
    gripper_readings: tuple[float, float] = (0.0, 1.0)
    """What is recorded for openings of 0 and 1, as by a sensor of unknown units."""

    def __post_init__(self) -> None:
        """Refuse errors out of range."""
        if not 0.0 <= self.position_error_mm < math.inf:
            raise GlamError(f"--pose-error-mm {self.position_error_mm} must be at least 0")
        if not 0.0 <= self.angle_error_degrees <= 180.0:
            raise GlamError(f"--pose-error-degrees {self.angle_error_degrees} must lie between 0 and 180")
        if not abs(self.tool_offset_mm) < math.inf:
            raise GlamError(f"--tool-offset-mm {self.tool_offset_mm} must be a finite number")
        if not 0.0 <= self.tool_turn_degrees <= 180.0:
            raise GlamError(f"--tool-turn-degrees {self.tool_turn_degrees} must lie between 0 and 180")
        shut, wide = self.gripper_readings
        if not (math.isfinite(shut) and math.isfinite(wide) and shut != wide):
            raise GlamError(f"--gripper-readings {shut} {wide}: give two different finite numbers")

    def measured(self, poses: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
        """Poses (T, 10 per arm) as measured in the episode of `seed`; each arm has an error of its own."""
        if self == PERFECT_TRACKER:
            return poses
        rng = np.random.default_rng([seed, 7])  # not the stream of the scene, which starts from the seed alone
        arms = np.split(poses, poses.shape[1] // POSE_SIZE, axis=1)
        return np.concatenate([self._arm(arm, rng) for arm in arms], axis=1).astype(np.float32)

    def _arm(self, poses: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float64]:
        position, rotation = poses[:, :3].astype(np.float64), rotation_from_six(poses[:, 3:9].astype(np.float64))
        shift = self.position_error_mm / 1000.0 * _direction(rng)
        turn = rotation_from_vector(math.radians(self.angle_error_degrees) * _direction(rng))
        position = position + self.tool_offset_mm / 1000.0 * rotation[..., 2]
        rotation = rotation @ rotation_from_vector(np.array([math.radians(self.tool_turn_degrees), 0.0, 0.0]))
        start = position[:1]
        moved, rotation = (position - start) @ turn.T + start + shift, turn @ rotation
        if self.has_own_frame:
            heading, origin = rotation_z(rng.uniform(-np.pi, np.pi)), rng.uniform(-_FAR, _FAR, 3)
            moved, rotation = (moved - moved[:1]) @ heading.T + origin, heading @ rotation
        return np.concatenate([moved, six_from_rotation(rotation), self._opening(poses[:, 9:])], axis=1)

    def _opening(self, opening: NDArray[np.float32]) -> NDArray[np.floating[Any]]:
        if not self.sees_gripper:
            return np.zeros_like(opening)
        shut, wide = self.gripper_readings
        return opening if (shut, wide) == (0.0, 1.0) else shut + (wide - shut) * opening


PERFECT_TRACKER = Tracker()
_FAR = 0.5
"""Metres along each axis by which the first pose of an episode lies at most from the origin of a frame of its own."""


@dataclass(frozen=True)
class PointTracker:
    """Fingertips as a tracker finds them in the images; perfect by default."""

    noise_px: float = 0.0
    """Standard deviation of each place, in pixels of the recorded images, drawn anew for every frame."""
    lost: float = 0.0
    """Share of the frames in which a point that shows is lost, in stretches of half a second on average."""

    def __post_init__(self) -> None:
        """Refuse errors out of range."""
        if not 0.0 <= self.noise_px < math.inf:
            raise GlamError(f"--track-noise-px {self.noise_px} must be at least 0")
        if not 0.0 <= self.lost <= _MOST_LOST:
            raise GlamError(f"--track-lost {self.lost} must lie between 0 and {_MOST_LOST}")

    def measured(self, tracks: NDArray[np.float32], size: tuple[int, int], seed: int) -> NDArray[np.float32]:
        """Tracks (T, 3 P) in images of `size`, height and width, as found in the episode of `seed`."""
        places, seen = points_of(tracks)
        rng = np.random.default_rng([seed, 8])  # not the stream of the scene, nor that of the poses
        noisy = places + self.noise_px / np.array([size[1], size[0]]) * rng.standard_normal(places.shape)
        is_inside = ((noisy >= 0.0) & (noisy <= 1.0)).all(-1)
        return tracks_of(noisy, seen & is_inside & ~self._lost(seen.shape, rng))

    def _lost(self, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.bool_]:
        """A chain of two states: a lost point is found again in one frame of `_STRETCH`."""
        draws, lost = rng.uniform(size=shape), np.zeros(shape, bool)
        if self.lost:
            begins = self.lost / (1.0 - self.lost) / _STRETCH
            lost[0] = draws[0] < self.lost
            for frame in range(1, len(lost)):
                lost[frame] = np.where(lost[frame - 1], draws[frame] >= 1.0 / _STRETCH, draws[frame] < begins)
        return lost


_STRETCH = 5
"""Frames for which a lost point stays lost on average."""
_MOST_LOST = 0.8
PERFECT_POINTS = PointTracker()


def _direction(rng: np.random.Generator) -> NDArray[np.float64]:
    drawn = rng.standard_normal(3)
    return drawn / np.linalg.norm(drawn)
