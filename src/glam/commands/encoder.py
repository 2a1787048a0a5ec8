"""Flags that choose the eyes of a policy."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # torch takes seconds to import, and --help does without
    from glam.policies.condition import ConditionConfig
    from glam.recipes.world_models import Preset


@dataclass(frozen=True)
class EncoderFlags:
    """What a policy sees with."""

    eyes: Literal["default", "cnn", "efficientnet-lite0", "dinov2-s14"] = "default"
    """default: dinov2-s14 at the preset paper, cnn at the others.
    cnn: a small network for each view, trained with the policy from random weights; for CPUs.
    efficientnet-lite0: pretrained on ImageNet; its weights come with the extra [encoders], without download.
    dinov2-s14: the paper's, pretrained on 142 million images, through transformers; the extra [encoders]."""
    encoder_training: Literal["joint", "frozen"] = "joint"
    """joint: a pretrained network goes on learning with the policy.
    frozen: it stays as it is, and each image is looked at once, before training; images are not varied."""
    encoder_weights: Path | None = None
    """File of pretrained weights, or folder with model.safetensors; without it the published ones are taken, which
    efficientnet-lite0 has in its package and dinov2-s14 on the Hub (facebook/dinov2-small)."""
    encoder_sha256: str = ""
    """sha256 of that file, for weights of your own; without it only the published file is accepted."""

    def applied(self, condition: "ConditionConfig", preset: "Preset") -> "ConditionConfig":
        """The preset's settings with the eyes that were chosen."""
        from glam.recipes.encoders import DEFAULT, eyes

        name = DEFAULT[preset] if self.eyes == "default" else self.eyes
        return replace(condition, vision=eyes(name, preset, self.encoder_training, self.encoder_sha256))
