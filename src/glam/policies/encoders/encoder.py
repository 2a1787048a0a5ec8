"""The interface that every vision encoder of a policy implements.

An encoder turns the images of all views into one visual code. Its config is a frozen dataclass with a field `kind`,
under which it is registered, and the methods below. A new encoder needs `sized` and `build`; the rest is for encoders
with pretrained weights (`glam.policies.encoders.pretrained`).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from torch import nn

from glam.core.errors import GlamError
from glam.nn.layers import Linear

EncoderSize = Literal["tiny", "small", "large"]
"""tiny: for tests, in seconds; small: for CPUs; large: the paper's, for GPUs."""
EncoderTraining = Literal["joint", "frozen"]


@dataclass(frozen=True)
class EncoderConfig(ABC):
    """Settings that every encoder has."""

    kind: str = ""
    pixels: int = 64
    """Height and width of the images that the encoder is given."""
    hidden: int = 256
    """Width of the projector's hidden layer."""
    code: int = 64
    """Entries of the visual code, as in the paper."""

    @classmethod
    @abstractmethod
    def sized(cls, size: EncoderSize) -> Self:
        """The encoder at one of three sizes."""

    @abstractmethod
    def build(self, views: int) -> nn.Module:
        """A new network that is trained with the policy: encoder inputs -> (B, code).

        Encoder inputs are images, (B, V, 3, Y, X) in 0..1, or (B, V, f) features of a frozen backbone.
        """

    @property
    def is_frozen(self) -> bool:
        """True where the encoder inputs are features of a frozen backbone."""
        return False

    def with_weights(self, training: EncoderTraining, sha256: str) -> Self:
        """The same encoder with pretrained weights used in another way; an encoder without such weights refuses."""
        if training == "frozen" or sha256:
            flag = "--encoder-training frozen" if training == "frozen" else "--encoder-sha256"
            raise GlamError(
                f"{flag}: the encoder {self.kind} starts from random weights; choose another --encoder, or leave it out"
            )
        return self

    def load_backbone(self, given: Path | None) -> nn.Module:
        """The backbone with pretrained weights: those at the path `given`, or the published ones."""
        if given:
            raise GlamError(
                f"--encoder-weights {given}: the encoder {self.kind} starts from random weights; "
                "choose another with --encoder"
            )
        return nn.Identity()

    def initialize(self, encoder: nn.Module, backbone: nn.Module) -> None:
        """Give a new `encoder` the weights of a loaded `backbone`; by default there are none."""
        del encoder, backbone

    def frozen_backbone(self) -> nn.Module:
        """A new network between images and encoder inputs: the frozen backbone, or one that changes nothing."""
        return nn.Identity()

    def feature_identity(self) -> tuple[str, int]:
        """Name and size of a frozen backbone's features of one view; other settings have other names."""
        raise NotImplementedError(f"{self.kind} has no frozen features")


class Projector(nn.Sequential):
    """Features of all views -> Linear-LN-GELU-Linear-LN -> code: the paper's projector."""

    def __init__(self, features: int, config: EncoderConfig) -> None:
        super().__init__(
            Linear(features, config.hidden),
            nn.LayerNorm(config.hidden),
            nn.GELU(),
            Linear(config.hidden, config.code),
            nn.LayerNorm(config.code),
        )
