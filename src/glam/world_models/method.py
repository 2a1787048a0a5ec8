"""The interface of a world model: all that the stages need to train, probe, label with and inspect any method.

A method is one file with a config (`MethodConfig`) and a model (`WorldModel`), and one line in `WORLD_MODELS`, the
registry of this package. No other module asks which class a model or its config is. docs/add_a_world_model.md writes a
method from scratch.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, NamedTuple, Self

from torch import Tensor, nn

from glam.training.learner import Learner
from glam.world_models.batches import COLOURS, MixedBatch, TrainingView, Windows
from glam.world_models.parts import ForwardModel, PartsConfig, Sizes
from glam.world_models.states import StateModel, States, StatesConfig
from glam.world_models.verdicts import Probes, Verdict

IMAGES = StatesConfig(observation="images", augmentation=COLOURS)
MASKS = StatesConfig(observation="masks")


@dataclass(frozen=True)
class MethodConfig(ABC):
    """Config of a method; it builds the model and states what the method needs and measures.

    Each subclass adds a tag, `kind: Literal["name"] = "name"`, by which a stored config finds its class again.
    """

    learns_action_decoder: ClassVar[bool] = True
    """If False, `WorldModel.action_decoder` is None, and replay fits a decoder afterwards."""
    meanings: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """One line on each of the method's own diagnostics, by its name or by the part of its name before a slash."""

    parts: PartsConfig = PartsConfig()
    states: StatesConfig = StatesConfig()

    @property
    @abstractmethod
    def kind(self) -> str:
        """The tag."""

    @classmethod
    @abstractmethod
    def variants(cls) -> dict[str, Self]:
        """Configs that `glam train-world-model` knows by name, and that the benchmark compares."""

    @classmethod
    def other_variants(cls) -> dict[str, Self]:
        """Configs that `glam train-world-model` knows by name, and that no table compares."""
        return {}

    @property
    def learns_from_auxiliary(self) -> bool:
        """False for a method that learns from the target alone."""
        return True

    @property
    def idm_rotation_noise(self) -> float:
        """Standard deviation, in degrees, of the rotation noise on the poses that the IDM sees in training."""
        return 0.0

    @property
    def idm_frames(self) -> int:
        """Number of consecutive frames that the IDM infers a latent action from."""
        return 2

    @property
    def training_view(self) -> TrainingView:
        """Changes that training makes to the windows of the datasets."""
        return TrainingView(self.idm_frames - 2, self.idm_rotation_noise, self.states.augmentation)

    @property
    def advice(self) -> Mapping[str, str]:
        """A further remedy, by the name of the probe that is out of order."""
        return {}

    @abstractmethod
    def build(self, sizes: Sizes) -> "WorldModel":
        """A new model with random weights."""

    def own_verdicts(self, probes: Probes, *, has_problem: bool) -> Iterable[Verdict]:
        """Verdicts on the method's own diagnostics; `has_problem` says if the common probes show a problem."""
        del probes, has_problem
        return ()


class EncodedEpisode(NamedTuple):
    """One episode of T frames through a model, on the model's device; the first dimension of all tensors is 1."""

    windows: Windows
    states: States
    latent: Tensor  # (1, T - 1, d)
    predicted: States  # the next states of all frames but the last


class WorldModel(Learner[MixedBatch]):
    """A model that explains transitions by latent actions.

    `losses` gives the terms of its objective, and `weights` their weights.
    """

    config: MethodConfig
    states: StateModel
    forward_model: ForwardModel
    action_decoder: nn.Module | None
    """p(a | z): normalized latent actions (..., d) to normalized actions (..., n_a). None if the method learns none."""

    @abstractmethod
    def label(self, windows: Windows) -> Tensor:
        """Latent action of each transition, the same each time. (B, T - 1, d)."""

    def predict(self, states: States, latent: Tensor) -> States:
        """Next state of each frame but the last, given the latent actions. (B, T - 1, ...)."""
        return States(*self.forward_model(*states.current(), latent))

    def diagnostics(self, episodes: Sequence[EncodedEpisode]) -> dict[str, float]:
        """Measurements that only this method has, on held-out episodes of all sources."""
        del episodes
        return {}
