"""The eyes of a policy by name, at four scales."""

from dataclasses import replace
from typing import Literal

from glam.core.errors import GlamError, UnknownNameError
from glam.policies.eyes import EyesConfig, PretrainedConfig
from glam.policies.networks import DinoConfig, EfficientNetConfig
from glam.policies.vision import VisionConfig
from glam.recipes.world_models import Scale

_CPU: dict[str, EyesConfig] = {
    "cnn": VisionConfig(),
    "efficientnet-lite0": PretrainedConfig(EfficientNetConfig(side=96)),
    "dinov2-s14": PretrainedConfig(DinoConfig(side=98)),
}

EYES: dict[Scale, dict[str, EyesConfig]] = {
    "cpu": _CPU,
    "demo": _CPU,
    "paper": {
        "cnn": VisionConfig(pixels=96, widths=(32, 64), points=64),
        "efficientnet-lite0": PretrainedConfig(EfficientNetConfig(side=224), pixels=224),
        "dinov2-s14": PretrainedConfig(DinoConfig(side=224), pixels=224),
    },
    "smoke": {
        "cnn": VisionConfig(pixels=16, widths=(4, 4), points=8, hidden=16, code=8),
        "efficientnet-lite0": PretrainedConfig(EfficientNetConfig(side=32), pixels=16, hidden=16, code=8),
        "dinov2-s14": PretrainedConfig(DinoConfig(side=28), pixels=16, hidden=16, code=8),
    },
}
DEFAULT: dict[Scale, str] = {"cpu": "cnn", "demo": "cnn", "paper": "dinov2-s14", "smoke": "cnn"}
"""What each scale looks with unless it is told otherwise."""


def eyes(name: str, scale: Scale, training: Literal["joint", "frozen"] = "joint", sha256: str = "") -> EyesConfig:
    """The recipe of eyes at a scale; `sha256` names other weights than the published ones."""
    if name not in EYES[scale]:
        raise UnknownNameError("eyes", name, list(EYES[scale]))
    config = EYES[scale][name]
    if not isinstance(config, PretrainedConfig):
        if training == "frozen" or sha256:
            flag = "--eyes-training frozen" if training == "frozen" else "--eyes-sha256"
            raise GlamError(f"{flag}: the eyes {name} begin with random weights; choose other --eyes, or leave it out")
        return config
    network = replace(config.network, sha256=sha256 or config.network.sha256)
    return replace(config, network=network, training=training)
