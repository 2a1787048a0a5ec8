"""World models by name: the methods of the paper with its ablations, at four presets."""

from dataclasses import dataclass, replace
from typing import Literal

from glam.core.errors import UnknownNameError
from glam.nn.conv import ConvImageModel
from glam.stages.train_world_model import WorldModelConfig
from glam.training.config import FitConfig
from glam.world_models import WORLD_MODELS
from glam.world_models.method import MethodConfig
from glam.world_models.parts import PartsConfig
from glam.world_models.window_sources import WindowBatchConfig

Preset = Literal["cpu", "demo", "paper", "smoke"]

METHODS: dict[str, MethodConfig] = {
    name: config for method in WORLD_MODELS.values() for name, config in method.variants().items()
}
"""The methods that the benchmark compares."""


@dataclass(frozen=True)
class WorldModelPreset:
    """Sizes of networks and images, batches and training."""

    parts: PartsConfig
    pixels: int
    batch: WindowBatchConfig
    fit: FitConfig


_CPU = WorldModelPreset(
    PartsConfig(encoder=ConvImageModel(widths=(16, 32, 64, 128))),
    32,
    # Small batches of short windows: at equal cost, more steps on more different frames give a better decoder.
    WindowBatchConfig(frames=4),
    FitConfig(steps=5000, learning_rate=2e-3),
)

PRESETS: dict[Preset, WorldModelPreset] = {
    "cpu": _CPU,
    "demo": replace(_CPU, fit=replace(_CPU.fit, steps=1500)),
    "paper": WorldModelPreset(
        PartsConfig(),
        64,
        WindowBatchConfig(frames=16, target_windows=8, auxiliary_windows=8),
        FitConfig(steps=50_000, learning_rate=3e-4, device="cuda"),
    ),
    "smoke": WorldModelPreset(
        PartsConfig(encoder=ConvImageModel(widths=(4, 8, 8, 8), feature_size=16), hidden=32),
        16,
        WindowBatchConfig(frames=4, target_windows=2, auxiliary_windows=2),
        FitConfig(steps=20, log_every=5, save_every=5, validate_every=10, threads=1),
    ),
}


def named_methods() -> dict[str, MethodConfig]:
    """Every config that has a name, of all registered methods."""
    methods = WORLD_MODELS.values()
    return {
        name: config for method in methods for name, config in (method.variants() | method.other_variants()).items()
    }


def world_model(method: str, preset: Preset = "cpu") -> WorldModelConfig:
    """The recipe of a method at a preset."""
    known = named_methods()
    if method not in known:
        raise UnknownNameError("method", method, list(known))
    settings = PRESETS[preset]
    model = replace(known[method], parts=settings.parts)
    return WorldModelConfig(method, model, settings.pixels, batch=settings.batch, fit=settings.fit)
