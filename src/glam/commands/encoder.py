"""Flags that choose the vision encoder of a policy; names and help come from the registry of encoders."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from glam.policies.encoders import ENCODERS

if TYPE_CHECKING:  # torch takes seconds to import, and --help does without
    from glam.policies.observation import ObservationConfig
    from glam.recipes.world_models import Preset

    EncoderName = str
else:
    EncoderName = tyro.extras.literal_type_from_choices(("default", *ENCODERS))

_HELP = f"default: dinov2-s14 at the preset paper, cnn at the others.\n{ENCODERS.help}"


@dataclass(frozen=True)
class EncoderFlags:
    """Vision encoder of a policy."""

    encoder: Annotated[EncoderName, tyro.conf.arg(help=_HELP)] = "default"
    encoder_training: Literal["joint", "frozen"] = "joint"
    """joint: a pretrained encoder is fine-tuned with the policy.
    frozen: only its projector is trained; each image is encoded once, before training, without augmentation."""
    encoder_weights: Path | None = None
    """File of pretrained weights, or folder with model.safetensors; by default the published weights, which
    efficientnet-lite0 has in its package and dinov2-s14 on the Hub (facebook/dinov2-small)."""
    encoder_sha256: str = ""
    """sha256 of that file, for weights of your own; by default only the published file is accepted."""

    def applied(self, observation: "ObservationConfig", preset: "Preset") -> "ObservationConfig":
        """The preset's settings with the chosen encoder."""
        from glam.recipes.encoders import DEFAULT, encoder

        name = DEFAULT[preset] if self.encoder == "default" else self.encoder
        return replace(observation, encoder=encoder(name, preset, self.encoder_training, self.encoder_sha256))
