"""Policies by name, at four presets."""

from dataclasses import dataclass, replace

from glam.core.errors import UnknownNameError
from glam.policies.direct import DirectPolicyConfig
from glam.policies.latent import LatentPolicyConfig
from glam.policies.mip import MipConfig
from glam.policies.observation import ObservationConfig
from glam.policies.trained import PolicyConfig
from glam.recipes.encoders import DEFAULT, encoder
from glam.recipes.world_models import Preset
from glam.stages.train_policy import RETARGET, TrainPolicyConfig
from glam.training.config import FitConfig

METHODS: dict[str, PolicyConfig] = {
    "latent": LatentPolicyConfig(),
    "mip": DirectPolicyConfig(),
    RETARGET: DirectPolicyConfig(),
}


@dataclass(frozen=True)
class _Preset:
    observation: ObservationConfig
    head: MipConfig
    batch_size: int
    fit: FitConfig


_FIT = FitConfig(steps=5000, learning_rate=1e-3, weight_decay=1e-3, ema_decay=0.998, validate_every=0)

PRESETS: dict[Preset, _Preset] = {
    "cpu": _Preset(ObservationConfig(), MipConfig(), 64, _FIT),
    "demo": _Preset(ObservationConfig(), MipConfig(), 64, replace(_FIT, steps=1200)),
    "paper": _Preset(
        ObservationConfig(),
        MipConfig(),
        256,
        replace(_FIT, steps=50_000, learning_rate=3e-4, device="cuda"),
    ),
    "smoke": _Preset(
        ObservationConfig(),
        MipConfig(chunk_size=8, layers=2, hidden=32),
        8,
        FitConfig(steps=10, log_every=5, save_every=5, validate_every=0, threads=1),
    ),
}


def policy(method: str, preset: Preset = "cpu") -> TrainPolicyConfig:
    """The recipe of a method at a preset."""
    if method not in METHODS:
        raise UnknownNameError("policy", method, list(METHODS))
    settings = PRESETS[preset]
    observation = replace(settings.observation, encoder=encoder(DEFAULT[preset], preset))
    config = replace(METHODS[method], observation=observation, head=settings.head)
    return TrainPolicyConfig(method, config, settings.batch_size, fit=settings.fit)
