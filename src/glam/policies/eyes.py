"""A choice of eyes: a small network trained with the policy, or a large one that others have trained."""

from dataclasses import dataclass
from typing import Literal

from torch import Tensor, nn

from glam.nn.linear import Linear
from glam.policies.networks import Network, NetworkConfig, build_network
from glam.policies.vision import Eyes, VisionConfig


@dataclass(frozen=True)
class PretrainedConfig:
    """Eyes that begin with what others have learnt, and the paper's projector from all views to the code."""

    network: NetworkConfig
    training: Literal["joint", "frozen"] = "joint"
    """joint: the network is trained on with the policy; frozen: it stays, and each image is looked at only once."""
    pixels: int = 96
    """Height and width of the images that the eyes are given."""
    hidden: int = 256
    code: int = 64
    """Entries of the visual code, as in the paper."""


EncoderConfig = VisionConfig | PretrainedConfig


class Projector(nn.Sequential):
    """Numbers of all views -> Linear-LN-GELU-Linear-LN -> code; all that is trained of frozen eyes."""

    def __init__(self, views: int, config: PretrainedConfig) -> None:
        super().__init__(
            nn.Flatten(),
            Linear(views * config.network.size, config.hidden),
            nn.LayerNorm(config.hidden),
            nn.GELU(),
            Linear(config.hidden, config.code),
            nn.LayerNorm(config.code),
        )


class JointEyes(nn.Module):
    """One network for every view, trained with the policy, and the projector."""

    def __init__(self, views: int, config: PretrainedConfig) -> None:
        super().__init__()
        self.network = build_network(config.network)
        self.project = Projector(views, config)

    def forward(self, images: Tensor) -> Tensor:
        """(B, V, 3, Y, X) in 0..1 -> (B, code)."""
        code: Tensor = self.project(features(self.network, images))
        return code


def build_encoder(views: int, config: EncoderConfig) -> nn.Module:
    """What makes the visual code: of images, or for frozen eyes of the features of each view."""
    if isinstance(config, PretrainedConfig):
        return Projector(views, config) if is_frozen(config) else JointEyes(views, config)
    return Eyes(views, config)


def is_frozen(config: EncoderConfig) -> bool:
    """Whether a policy with these eyes is given features instead of images."""
    return isinstance(config, PretrainedConfig) and config.training == "frozen"


def features(network: Network, images: Tensor) -> Tensor:
    """What a network makes of each view by itself. (B, V, 3, Y, X) in 0..1 -> (B, V, size)."""
    views: Tensor = network(images.flatten(0, 1))
    return views.reshape(*images.shape[:2], -1)
