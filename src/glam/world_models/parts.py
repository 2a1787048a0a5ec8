"""The networks of the paper's table of architectures: parts from which every world model is built."""

from dataclasses import dataclass
from typing import Annotated

import torch
from torch import Tensor, nn

from glam.nn.gaussian import DiagGaussian
from glam.nn.layers import ConvImageModel, ImageShape, ResMLP
from glam.world_models.encoders import ENCODERS, ImageModel


@dataclass(frozen=True)
class PartsConfig:
    """Sizes of all networks; the defaults are the paper's."""

    encoder: Annotated[ImageModel, ENCODERS] = ConvImageModel()
    """Image encoder and the decoder that goes with it."""
    hidden: int = 256
    """Width of every MLP."""
    idm_blocks: int = 5
    action_encoder_blocks: int = 5
    forward_blocks: int = 4
    proprio_blocks: int = 5
    decoder_blocks: int = 1
    """Blocks of the action decoder; one makes four linear layers, as in the paper. As a plain perceptron with ReLU they
    are the coarsest part of a label: the tool is 2.3 mm off, and 0.6 mm with the residual connection."""
    log_variance: tuple[float, float] = (-10.0, 2.0)
    """Range of the log-variances of both posteriors. Its floor limits the weight 1 / (2 sigma^2) of the alignment."""


@dataclass(frozen=True)
class Sizes:
    """Sizes of inputs and outputs, which depend on the data."""

    image: ImageShape
    pose: int
    """Entries of what is known of the hands: poses, tracks, and flags."""
    state: int
    action: int
    latent: int
    """Size d of the latent action."""
    groups: tuple[int, ...] = ()
    """Sizes of the parts of the pose that may be unknown; it ends with a flag for each, see `glam.nn.flagged`."""


class InverseDynamics(nn.Module):
    """IDM q(z | x, x_next), or q(z | x, x_next, ...) of a method that looks further ahead."""

    def __init__(self, state: int, latent: int, config: PartsConfig, frames: int = 2) -> None:
        super().__init__()
        self.network = ResMLP(frames * state, 2 * latent, blocks=config.idm_blocks, hidden=config.hidden)
        self.bounds = config.log_variance

    def forward(self, *states: Tensor) -> DiagGaussian:
        """Consecutive states (..., n_x), two or more -> a distribution over (..., d)."""
        return DiagGaussian.from_head(self.network(torch.cat(states, dim=-1)), self.bounds)


class ActionEncoder(nn.Module):
    """q(z | s, a), target robot only."""

    def __init__(self, sizes: Sizes, config: PartsConfig) -> None:
        super().__init__()
        inputs = sizes.state + sizes.action
        self.network = ResMLP(inputs, 2 * sizes.latent, blocks=config.action_encoder_blocks, hidden=config.hidden)
        self.bounds = config.log_variance

    def forward(self, s: Tensor, a: Tensor) -> DiagGaussian:
        """(..., n_s), (..., n_a) -> a distribution over (..., d)."""
        return DiagGaussian.from_head(self.network(torch.cat([s, a], dim=-1)), self.bounds)


class ForwardModel(nn.Module):
    """p(x_next | x, z), shared by all sources and both posteriors: a trunk with a head for y and one for the pose."""

    def __init__(self, feature: int, pose: int, latent: int, config: PartsConfig) -> None:
        super().__init__()
        inputs, self.outputs = feature + pose + latent, (feature, pose)
        # Two linear heads on one trunk are one linear map whose outputs are split.
        self.network = ResMLP(inputs, feature + pose, blocks=config.forward_blocks, hidden=config.hidden)

    def forward(self, y: Tensor, pose: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
        """Next feature and next pose: residuals are added to the current ones."""
        residuals = self.network(torch.cat([y, pose, z], dim=-1)).split(self.outputs, dim=-1)
        return y + residuals[0], pose + residuals[1]


class ProprioForward(nn.Module):
    """p(s_next | s, z), target robot only."""

    def __init__(self, sizes: Sizes, config: PartsConfig) -> None:
        super().__init__()
        inputs = sizes.state + sizes.latent
        self.network = ResMLP(inputs, sizes.state, blocks=config.proprio_blocks, hidden=config.hidden)

    def forward(self, s: Tensor, z: Tensor) -> Tensor:
        """Next robot state: the residual is added to the current one."""
        residual: Tensor = self.network(torch.cat([s, z], dim=-1))
        return s + residual


def action_decoder(sizes: Sizes, config: PartsConfig) -> nn.Module:
    """p(a | z): its only input is the latent action."""
    return ResMLP(sizes.latent, sizes.action, blocks=config.decoder_blocks, hidden=config.hidden)
