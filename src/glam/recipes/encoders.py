"""Vision encoders of policies at the presets."""

from typing import Any

from glam.policies.encoders import ENCODERS
from glam.policies.encoders.encoder import EncoderConfig, EncoderSize, EncoderTraining
from glam.recipes.world_models import Preset

SIZES: dict[Preset, EncoderSize] = {"cpu": "small", "demo": "small", "paper": "large", "smoke": "tiny"}
DEFAULT: dict[Preset, str] = {"cpu": "cnn", "demo": "cnn", "paper": "dinov2-s14", "smoke": "cnn"}
"""Encoder of each preset unless another is chosen."""


def encoder(name: str, preset: Preset, training: EncoderTraining = "joint", sha256: str = "") -> EncoderConfig:
    """The recipe of an encoder at a preset; `sha256` names other weights than the published ones."""
    found: Any = ENCODERS.find(name)
    config: EncoderConfig = found.sized(SIZES[preset])
    return config.with_weights(training, sha256)
