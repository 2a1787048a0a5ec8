"""Policies by name, at four presets."""

from dataclasses import dataclass, replace
from typing import Any

from glam.core.errors import GlamError, UnknownNameError
from glam.policies.direct import DirectPolicyConfig
from glam.policies.heads import HEADS
from glam.policies.latent import LatentPolicyConfig
from glam.policies.observation import ObservationConfig
from glam.policies.trained import PolicyConfig
from glam.recipes.encoders import DEFAULT, encoder
from glam.recipes.world_models import Preset
from glam.stages.train_policy import RETARGET, TrainPolicyConfig
from glam.training.config import FitConfig

MIP = "mip"
"""The paper's baseline: the direct policy with the head of the same name."""
METHODS: dict[str, PolicyConfig] = {
    "latent": LatentPolicyConfig(),
    MIP: DirectPolicyConfig(),
    "direct": DirectPolicyConfig(),
    RETARGET: DirectPolicyConfig(),
}


@dataclass(frozen=True)
class _Preset:
    batch_size: int
    fit: FitConfig
    head: tuple[tuple[str, int], ...] = ()
    """Sizes that differ from the defaults of `HeadConfig`."""


_FIT = FitConfig(steps=5000, learning_rate=1e-3, weight_decay=1e-3, ema_decay=0.998, validate_every=0)
_SMOKE = FitConfig(steps=10, log_every=5, save_every=5, validate_every=0, threads=1)

PRESETS: dict[Preset, _Preset] = {
    "cpu": _Preset(64, _FIT),
    "demo": _Preset(64, replace(_FIT, steps=1200)),
    "paper": _Preset(256, replace(_FIT, steps=50_000, learning_rate=3e-4, device="cuda")),
    "smoke": _Preset(8, _SMOKE, (("chunk_size", 8), ("layers", 2), ("hidden", 32))),
}


def policy(method: str, preset: Preset = "cpu", head: str = "mip") -> TrainPolicyConfig:
    """The recipe of a method at a preset with one of the policy heads."""
    if method not in METHODS:
        raise UnknownNameError("policy", method, list(METHODS))
    found: Any = HEADS.find(head)
    if method == MIP and head != "mip":
        raise GlamError(
            f"--head {head}: the method mip is the direct policy with the head mip; choose the method direct"
        )
    settings = PRESETS[preset]
    observation = ObservationConfig(encoder=encoder(DEFAULT[preset], preset))
    config = replace(METHODS[method], observation=observation, head=found(**dict(settings.head)))
    return TrainPolicyConfig(method, config, settings.batch_size, fit=settings.fit)
