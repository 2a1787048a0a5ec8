"""Small world models and data for tests: seconds become milliseconds, the structure stays."""

import numpy as np
import torch

from glam.data.demonstrations import Split
from glam.data.schema import Schema
from glam.data.windows import EpisodeTable, Frames, LabelledFrames
from glam.nn.gaussian import Noise
from glam.nn.layers import ConvImageModel, ImageShape
from glam.training.learner import StepContext
from glam.world_models.batches import LabelledWindows, LabelledWindowSource, MixedBatch, Windows, WindowSource
from glam.world_models.parts import PartsConfig, Sizes

PARTS = PartsConfig(encoder=ConvImageModel(widths=(4, 4, 8, 8), feature_size=12), hidden=16)
SIZES = Sizes(ImageShape(4, 16, 16), pose=10, state=8, action=8, latent=8)
SCHEMA = Schema(10, (16, 16), ("front", "overhead"), ("red", "blue"), ("arm",), ("s",) * 8, ("a",) * 8)


def context(step: int = 50, seed: int = 0) -> StepContext:
    """Half-way through a training of 100 steps."""
    return StepContext(step, 100, Noise.seeded(seed))


def batch(seed: int = 0, windows: int = 3, frames: int = 4) -> MixedBatch:
    """Random windows of both kinds."""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(windows, frames, *shape, generator=generator)

    def image() -> torch.Tensor:
        return (normal(4, 16, 16) > 1.0).float()

    target = LabelledWindows(image(), normal(10), normal(10), normal(8), normal(8))
    return MixedBatch(target, Windows(image(), normal(10), normal(10)))


def sources(seed: int = 0, episodes: int = 6, length: int = 12) -> tuple[LabelledWindowSource, WindowSource]:
    """A target and an auxiliary source whose action at row t is a linear map of the pose at row t + 1."""
    rng = np.random.default_rng(seed)
    table = EpisodeTable.of_lengths([length] * episodes)
    split = Split(table.select(range(episodes - 2)), table.select(range(episodes - 2, episodes)))
    count = episodes * length
    pose = rng.normal(size=(count, 10)).astype(np.float32)
    mix = rng.normal(size=(10, 8)).astype(np.float32)
    common = {
        "images": {f"observation.images.{c}": rng.integers(0, 255, (count, 16, 16, 3), np.uint8) for c in "ab"},
        "masks": {f"observation.masks.{c}": rng.integers(0, 2, (count, 16, 16, 2), np.uint8) * 255 for c in "ab"},
        "ee_pose": pose,
        "episodes": table,
        "schema": SCHEMA,
    }
    action = np.roll(pose, -1, axis=0) @ mix
    state = rng.normal(size=(count, 8)).astype(np.float32)
    target = LabelledFrames(**common, content_id="target", state=state, action=action)
    auxiliary = Frames(**common, content_id="auxiliary")
    return LabelledWindowSource("target", target, split, "masks"), WindowSource("auxiliary", auxiliary, split, "masks")
