"""Imperfections of real cameras, drawn anew for every episode: placement error, exposure, blur, noise."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.core.geometry import rotation_from_vector

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
