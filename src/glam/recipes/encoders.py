"""The eyes of a policy by name, at four normalizer."""

from dataclasses import replace
from typing import Literal

from glam.core.errors import GlamError, UnknownNameError
from glam.policies.eyes import EncoderConfig, PretrainedConfig
from glam.policies.networks import DinoConfig, EfficientNetConfig
from glam.policies.vision import VisionConfig
from glam.recipes.world_models import Preset

_CPU: dict[str, EncoderConfig] = {
    "cnn": VisionConfig(),
    "efficientnet-lite0": PretrainedConfig(EfficientNetConfig(side=96)),
    "dinov2-s14": PretrainedConfig(DinoConfig(side=98)),
}

EYES: dict[Preset, dict[str, EncoderConfig]] = {
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
DEFAULT: dict[Preset, str] = {"cpu": "cnn", "demo": "cnn", "paper": "dinov2-s14", "smoke": "cnn"}
"""What each preset looks with unless it is told otherwise."""


def eyes(name: str, preset: Preset, training: Literal["joint", "frozen"] = "joint", sha256: str = "") -> EncoderConfig:
    """The recipe of eyes at a preset; `sha256` names other weights than the published ones."""
    if name not in EYES[preset]:
        raise UnknownNameError("eyes", name, list(EYES[preset]))
    config = EYES[preset][name]
    if not isinstance(config, PretrainedConfig):
        if training == "frozen" or sha256:
            flag = "--encoder-training frozen" if training == "frozen" else "--encoder-sha256"
            raise GlamError(
                f"{flag}: the eyes {name} begin with random weights; choose other --encoder, or leave it out"
            )
        return config
    network = replace(config.network, sha256=sha256 or config.network.sha256)
    return replace(config, network=network, training=training)
