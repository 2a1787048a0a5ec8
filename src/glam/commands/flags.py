"""Flags: their help texts, those that a command line must not hold, and those that several commands share.

Help is the string below the field of a command. tyro alone would print it with the line breaks of the source, and flags
that may be left out as `{None}|PATH`, with `(default: None)`. Refused are names of version 0.1, and a flag given twice
where it takes a list.
"""

import ast
import dataclasses
import inspect
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from textwrap import dedent
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import tyro
from tyro.constructors import ConstructorRegistry, StructConstructorSpec, StructFieldSpec, StructTypeInfo

from glam.core.configs import changed
from glam.core.errors import GlamError
from glam.policies.encoders import ENCODERS

if TYPE_CHECKING:  # torch and MuJoCo take seconds to import, and --help does without
    from glam.policies.observation import ObservationConfig
    from glam.recipes import Preset
    from glam.sim.kinematics import Chain
    from glam.stages.train_policy import TrainPolicyConfig
    from glam.stages.train_world_model import WorldModelConfig

    EncoderName = str
else:
    EncoderName = tyro.extras.literal_type_from_choices(("default", *ENCODERS))

REGISTRY = ConstructorRegistry()
"""Rules for `tyro.cli`."""
_PACKAGE = __name__.rpartition(".")[0]
_ABSENT = (None, (), "")
"""Defaults that mean: not given. Like False, they say nothing in a help text."""
RENAMED: dict[str, str] = json.loads((Path(__file__).parent / "renamed_flags.json").read_text(encoding="utf-8"))
"""New name of each flag of version 0.1 that has another one now."""
REPEATABLE = {"--set", "--map", "--object", "--tool-frame"}
"""Flags that are given once for each value, since a value is a pair such as NAME=VALUE."""

Recipe = TypeVar("Recipe", "TrainPolicyConfig", "WorldModelConfig")
Six = tuple[float, float, float, float, float, float]
"""A placement: x y z (m) roll pitch yaw (degrees)."""


@REGISTRY.struct_rule
def command_rule(info: StructTypeInfo) -> StructConstructorSpec | None:
    """The flags of a class of `glam.commands`; None for other types."""
    kind = info.type
    if not (dataclasses.is_dataclass(kind) and kind.__module__.startswith(_PACKAGE)):
        return None
    types, words = get_type_hints(kind, include_extras=True), field_words(kind)
    fields = tuple(_field(field, types[field.name], words.get(field.name)) for field in dataclasses.fields(kind))
    return StructConstructorSpec(kind, fields)


def _field(field: "dataclasses.Field[Any]", kind: Any, words: str | None) -> StructFieldSpec:
    default = tyro.MISSING if field.default is dataclasses.MISSING else field.default
    markers = get_args(kind)
    if default is tyro.MISSING and tyro.conf.Positional in markers:
        kind = Annotated[kind, tyro.conf.arg(help_behavior_hint="(required)")]
    elif (default in _ABSENT or default is False) and tyro.conf.UseAppendAction not in markers:
        kind = Annotated[kind, tyro.conf.arg(metavar=_metavar(kind), help_behavior_hint="")]
    return StructFieldSpec(field.name, kind, default, words)


def _metavar(kind: Any) -> str | None:
    """The name of a single value for what may be None; None leaves the choice to tyro."""
    if get_origin(kind) not in {UnionType}:
        return None
    (given,) = (part for part in get_args(kind) if part is not NoneType)
    parts = get_args(given) or (given,)
    return " ".join({"Path": "PATH"}.get(part.__name__, part.__name__.upper()) for part in parts)


@cache
def field_words(kind: type) -> dict[str, str]:
    """The string below each field of a class, on one line."""
    (body,) = ast.parse(dedent(inspect.getsource(kind))).body
    assert isinstance(body, ast.ClassDef)
    found = {}
    for field, below in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            found[field.target.id] = " ".join(str(ast.literal_eval(below.value)).split())
    return found


def check_flags(words: Sequence[str]) -> None:
    """Refuse renamed flags, and flags given twice: the parser would drop all but the last without a word."""
    given = list(_flags(words))
    for flag in given:
        if flag in RENAMED:
            raise GlamError(f"{flag}: this flag is called {RENAMED[flag]} since version 0.2")
        if given.count(flag) > 1 and flag not in REPEATABLE:
            raise GlamError(f"{flag}: given {given.count(flag)} times; give it once, with all its values: {flag} A B")


def _flags(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        if word == "--":
            return
        if word.startswith("--"):
            yield word.partition("=")[0].replace("_", "-")


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
    efficientnet-lite0 and dinov2-s14-derived have in packages and dinov2-s14 on the Hub (facebook/dinov2-small)."""
    encoder_sha256: str = ""
    """sha256 of that file, for weights of your own; by default only the published file is accepted."""

    def applied(self, observation: "ObservationConfig", preset: "Preset") -> "ObservationConfig":
        """The preset's settings with the chosen encoder."""
        from glam.recipes import DEFAULT, encoder

        name = DEFAULT[preset] if self.encoder == "default" else self.encoder
        return replace(observation, encoder=encoder(name, preset, self.encoder_training, self.encoder_sha256))


def chains_of(kinematics: Path | None, tool_frame: tuple[str, ...]) -> "dict[str, Chain]":
    """Kinematic models by the names of the arms; the name of a single arm is empty."""
    if kinematics is None:
        if tool_frame:
            raise GlamError("--tool-frame: needs --kinematics; give the robot's URDF or MJCF")
        return {}
    if not tool_frame:
        raise GlamError("--kinematics: say with --tool-frame which link or site of the model is the tool")
    from glam.sim.kinematics import Chain

    named = [text.rpartition("=") for text in tool_frame]
    if len({arm for arm, _, _ in named}) < len(named):
        raise GlamError("--tool-frame: each of several must name another arm, as in left=NAME right=NAME")
    return {arm: Chain.open(kinematics, frame) for arm, _, frame in named}
