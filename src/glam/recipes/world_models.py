"""World models by name: the paper's methods, its ablations, and four normalizer."""

from dataclasses import dataclass, replace
from typing import Literal

from glam.core.errors import UnknownNameError
from glam.nn.conv import VisionConfig
from glam.stages.train_world_model import WorldModelConfig
from glam.training.config import FitConfig
from glam.world_models.clam import ClamConfig
from glam.world_models.glam import GlamConfig
from glam.world_models.lapa import LapaConfig
from glam.world_models.parts import PartsConfig
from glam.world_models.registry import ModelConfig
from glam.world_models.sources import BatchConfig
from glam.world_models.states import StatesConfig

Preset = Literal["cpu", "demo", "paper", "smoke"]

IMAGES = StatesConfig(observation="images")
MASKS = StatesConfig(observation="masks")

METHODS: dict[str, ModelConfig] = {
    "glam": GlamConfig(states=IMAGES),
    "glam-o": GlamConfig(states=MASKS),
    "glam-o-symmetric": GlamConfig(states=MASKS, alignment="symmetric"),
    "glam-o-unaligned": GlamConfig(states=MASKS, alignment_weight=0.0),
    "glam-o-idm-actions": GlamConfig(states=MASKS, reconstruct_actions_from="idm"),
    "glam-o-detached": GlamConfig(states=MASKS, alignment_reaches_encoder=False),
    "glam-o-exact-poses": GlamConfig(states=MASKS, idm_rotation_noise=0.0),
    "glam-o-no-pose": GlamConfig(states=replace(MASKS, has_pose=False)),
    "glam-o-pose-only": GlamConfig(states=replace(MASKS, has_image=False)),
    "clam": ClamConfig(states=IMAGES),
    "clam-o": ClamConfig(states=MASKS),
    "clam-both": ClamConfig(states=IMAGES, learns_from_auxiliary=True),
    "clam-o-both": ClamConfig(states=MASKS, learns_from_auxiliary=True),
    "lapa": LapaConfig(states=IMAGES),
    "lapa-o": LapaConfig(states=MASKS),
}

OWN_DATA: dict[str, ModelConfig] = {
    "glam-no-pose": GlamConfig(states=replace(IMAGES, has_pose=False)),
}
"""Methods that other people's recordings may need; no table compares them."""


@dataclass(frozen=True)
class _Preset:
    parts: PartsConfig
    pixels: int
    batch: BatchConfig
    fit: FitConfig


_CPU = _Preset(
    PartsConfig(vision=VisionConfig(widths=(16, 32, 64, 128))),
    32,
    # Small batches of short windows: at equal cost, more steps and more different frames teach the decoder more.
    BatchConfig(frames=4),
    FitConfig(steps=5000, learning_rate=2e-3),
)

PRESETS: dict[Preset, _Preset] = {
    "cpu": _CPU,
    "demo": replace(_CPU, fit=replace(_CPU.fit, steps=1500)),
    "paper": _Preset(
        PartsConfig(),
        64,
        BatchConfig(frames=16, target_windows=8, auxiliary_windows=8),
        FitConfig(steps=50_000, learning_rate=3e-4, device="cuda"),
    ),
    "smoke": _Preset(
        PartsConfig(vision=VisionConfig(widths=(4, 8, 8, 8), feature_size=16), hidden=32),
        16,
        BatchConfig(frames=4, target_windows=2, auxiliary_windows=2),
        FitConfig(steps=20, log_every=5, save_every=5, validate_every=10, threads=1),
    ),
}


def world_model(method: str, preset: Preset = "cpu") -> WorldModelConfig:
    """The recipe of a method at a preset."""
    known = METHODS | OWN_DATA
    if method not in known:
        raise UnknownNameError("method", method, list(known))
    settings = PRESETS[preset]
    model = replace(known[method], parts=settings.parts)
    return WorldModelConfig(method, model, settings.pixels, batch=settings.batch, fit=settings.fit)
