"""Flags of training commands, and those that choose the vision encoder of a policy from the registry."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import tyro

from glam.core.configs import changed
from glam.core.errors import GlamError
from glam.policies.encoders import ENCODERS

if TYPE_CHECKING:  # torch takes seconds to import, and --help does without
    from glam.policies.observation import ObservationConfig
    from glam.recipes import Preset
    from glam.stages.train_policy import TrainPolicyConfig
    from glam.stages.train_world_model import WorldModelConfig

    EncoderName = str
else:
    EncoderName = tyro.extras.literal_type_from_choices(("default", *ENCODERS))

Recipe = TypeVar("Recipe", "TrainPolicyConfig", "WorldModelConfig")


@dataclass(frozen=True)
class TrainingFlags:
    """Flags of both trainings; the preset sets those that are not given."""

    preset: Literal["cpu", "demo", "paper", "smoke"] = "cpu"
    """cpu: two cores, minutes; demo: the same networks with fewer steps; paper: the paper's sizes, for a GPU; smoke:
    seconds, only to test that everything runs."""
    steps: int = 0
    """Gradient steps; 0: as many as the preset has."""
    seed: int = 0
    """Seed of the weights, the batches, the noise and the held-out episodes."""
    threads: int = 0
    """CPU threads; 0: as many as the preset has."""
    device: str = ""
    """cpu, cuda or cuda:1; by default that of the preset."""
    loggers: tuple[Literal["tensorboard", "wandb", "trackio"], ...] = ()
    """Loggers besides metrics.jsonl; they need the extra [log]."""
    set: Annotated[tuple[str, ...], tyro.conf.UseAppendAction, tyro.conf.arg(metavar="NAME=VALUE")] = ()
    """Any other setting, by its name in the run's config.json, such as fit.learning_rate=3e-4; repeat the flag for
    several settings."""

    def applied(self, recipe: Recipe) -> Recipe:
        """Recipe with the settings of the command line."""
        from glam.training.reproducibility import flush_denormals

        flush_denormals()  # before any thread starts: it holds for threads that start later
        fit = replace(
            recipe.fit,
            seed=self.seed,
            steps=self.steps or recipe.fit.steps,
            threads=self.threads or recipe.fit.threads,
            device=self.device or recipe.fit.device,
        )
        try:
            return changed(replace(recipe, fit=fit), dict(map(_setting, self.set)))
        except GlamError as error:
            raise GlamError(f"--set: {error}") from None


def _setting(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise GlamError(f"{text!r} is not NAME=VALUE, such as fit.learning_rate=3e-4")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


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
        from glam.recipes import DEFAULT, encoder

        name = DEFAULT[preset] if self.encoder == "default" else self.encoder
        return replace(observation, encoder=encoder(name, preset, self.encoder_training, self.encoder_sha256))
