"""Named configs: a method at a preset. `cpu` is for two cores, `paper` for a GPU, `smoke` takes seconds."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from glam.core.errors import GlamError, UnknownNameError
from glam.nn.layers import ConvImageModel
from glam.policies.direct import DirectPolicyConfig
from glam.policies.encoders import ENCODERS
from glam.policies.encoders.encoder import EncoderConfig, EncoderSize, EncoderTraining
from glam.policies.heads import HEADS
from glam.policies.latent import LatentPolicyConfig
from glam.policies.observation import ObservationConfig
from glam.policies.trained import PolicyConfig
from glam.stages.policy_inputs import RETARGET
from glam.stages.train_policy import TrainPolicyConfig
from glam.stages.train_world_model import WorldModelConfig
from glam.training.learner import FitConfig
from glam.world_models import WORLD_MODELS
from glam.world_models.batches import WindowBatchConfig
from glam.world_models.method import MethodConfig
from glam.world_models.parts import PartsConfig

Preset = Literal["cpu", "demo", "paper", "smoke"]

SIZES: dict[Preset, EncoderSize] = {"cpu": "small", "demo": "small", "paper": "large", "smoke": "tiny"}
DEFAULT: dict[Preset, str] = {"cpu": "cnn", "demo": "cnn", "paper": "dinov2-s14", "smoke": "cnn"}
"""Encoder of each preset unless another is chosen."""


def encoder(name: str, preset: Preset, training: EncoderTraining = "joint", sha256: str = "") -> EncoderConfig:
    """The recipe of an encoder at a preset; `sha256` names other weights than the published ones."""
    found: Any = ENCODERS.find(name)
    config: EncoderConfig = found.sized(SIZES[preset])
    return config.with_weights(training, sha256)


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


_CLIP = 100_000.0
"""Norms are usually 2000 to 30,000: the alignment is divided by a small variance. At 10 every step would be clipped."""
_CPU = WorldModelPreset(
    PartsConfig(encoder=ConvImageModel(widths=(16, 32, 64, 128))),
    32,
    # Short windows, and three times as many of the target: how exact a label is depends on how many different
    # transitions with actions a step sees, and networks of vectors cost little beside images.
    WindowBatchConfig(frames=4, target_windows=24),
    FitConfig(steps=4000, learning_rate=2e-3, grad_clip=_CLIP),
)

WORLD_MODEL_PRESETS: dict[Preset, WorldModelPreset] = {
    "cpu": _CPU,
    "demo": replace(_CPU, fit=replace(_CPU.fit, steps=1500)),
    "paper": WorldModelPreset(
        PartsConfig(),
        64,
        WindowBatchConfig(frames=16, target_windows=8, auxiliary_windows=8),
        FitConfig(steps=50_000, learning_rate=3e-4, grad_clip=_CLIP, device="cuda"),
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
    settings = WORLD_MODEL_PRESETS[preset]
    model = replace(known[method], parts=settings.parts)
    return WorldModelConfig(method, model, settings.pixels, batch=settings.batch, fit=settings.fit)


MIP = "mip"
"""The paper's baseline: the direct policy with the head of the same name."""
POLICIES: dict[str, PolicyConfig] = {
    "latent": LatentPolicyConfig(),
    MIP: DirectPolicyConfig(),
    "direct": DirectPolicyConfig(),
    RETARGET: DirectPolicyConfig(),
}


@dataclass(frozen=True)
class _PolicyPreset:
    batch_size: int
    fit: FitConfig
    head: tuple[tuple[str, int], ...] = ()
    """Sizes that differ from the defaults of `HeadConfig`."""


# 5000 steps are too few for 500 demonstrations: their loss is still that of held-out episodes.
_FIT = FitConfig(steps=10_000, learning_rate=1e-3, weight_decay=1e-3, ema_decay=0.998, validate_every=0)
_SMOKE = FitConfig(steps=10, log_every=5, save_every=5, validate_every=0, threads=1)

POLICY_PRESETS: dict[Preset, _PolicyPreset] = {
    "cpu": _PolicyPreset(64, _FIT),
    "demo": _PolicyPreset(64, replace(_FIT, steps=1200)),
    "paper": _PolicyPreset(256, replace(_FIT, steps=50_000, learning_rate=3e-4, device="cuda")),
    "smoke": _PolicyPreset(8, _SMOKE, (("chunk_size", 8), ("layers", 2), ("hidden", 32))),
}


def policy(method: str, preset: Preset = "cpu", head: str = "mip") -> TrainPolicyConfig:
    """The recipe of a method at a preset with one of the policy heads."""
    if method not in POLICIES:
        raise UnknownNameError("policy", method, list(POLICIES))
    found: Any = HEADS.find(head)
    if method == MIP and head != "mip":
        raise GlamError(
            f"--head {head}: the method mip is the direct policy with the head mip; choose the method direct"
        )
    settings = POLICY_PRESETS[preset]
    observation = ObservationConfig(encoder=encoder(DEFAULT[preset], preset))
    config = replace(POLICIES[method], observation=observation, head=found(**dict(settings.head)))
    return TrainPolicyConfig(method, config, settings.batch_size, fit=settings.fit)
