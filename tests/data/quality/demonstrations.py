"""Demonstrations made of formulas: a hand that reaches, closes and rises, seen as a bright spot."""

import numpy as np

from glam.data.quality.measures import Measures, measured
from glam.data.schema import EE_POSE, GRIPPER, Schema

FPS = 20
SCHEMA = Schema(fps=FPS, image_size=(48, 48), cameras=("front",), objects=(), arms=("arm",))
ARMS = SCHEMA.arms


def poses(number: int = 0, length: int = 120) -> np.ndarray:
    """Episode `number`, (T, 10): two moves, slow at both ends, to places that differ."""
    draw = np.random.default_rng(number)
    places = np.array([[0.3, 0.0, 0.3], draw.uniform([0.3, -0.2, 0.05], [0.6, 0.2, 0.1]), [0.5, 0.1, 0.4]])
    share = np.clip(np.linspace(-0.1, 1.1, length // 2), 0.0, 1.0)
    smooth = (10 * share**3 - 15 * share**4 + 6 * share**5)[:, None]
    path = np.concatenate([places[0] + smooth * (places[1] - places[0]), places[1] + smooth * (places[2] - places[1])])
    found = np.zeros((len(path), 10), np.float32)
    found[:, :3] = path + draw.normal(0.0, 1e-4, path.shape)
    found[:, 3], found[:, 7] = 1.0, 1.0
    found[:, GRIPPER] = np.where(np.arange(len(path)) < length // 2, 0.9, 0.3)
    return found


def film(hand: np.ndarray) -> np.ndarray:
    down, across = np.mgrid[0:48, 0:48]
    x, y = (axis[:, None, None] for axis in (8 + 100 * (hand[:, 0] - 0.3), 12 + 50 * hand[:, 1] + 60 * hand[:, 2]))
    light = 40 + 200 * np.exp(-((across - x) ** 2 + (down - y) ** 2) / 40)
    return np.repeat(light[..., None], 3, axis=-1).astype(np.uint8)


def measures(hand: np.ndarray, number: int = 0, images: np.ndarray | None = None) -> Measures:
    return measured(number, {EE_POSE: hand}, {"front": film(hand) if images is None else images}, SCHEMA)


def sound(count: int = 8) -> list[Measures]:
    return [measures(poses(number, 110 + 2 * number), number) for number in range(count)]
