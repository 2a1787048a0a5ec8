"""How the eyes of a policy come by what they see: in training, and when the trained policy acts.

Eyes that are trained are given images. Frozen ones are given features: their network stands beside the policy, is no
part of what is trained, and is stored with it, so that a policy's folder needs nothing else.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from glam.core.errors import GlamError
from glam.core.progress import Progress
from glam.data.frames import Frames
from glam.data.windows import FrameIndices
from glam.policies.eyes import EncoderConfig, JointEyes, PretrainedConfig, features, is_frozen
from glam.policies.features import stored_features
from glam.policies.networks import Network, build_network
from glam.policies.weights import pretrained
from glam.training import tensors
from glam_client.resizing import resize

Look = Callable[[Frames, FrameIndices], Tensor]
"""What the eyes are given of rows of a dataset: `Observations.images`."""

_FROZEN = "frozen_eyes."
"""Begins the names of a frozen network's weights in the policy's file."""
_AT_ONCE = 16
"""Rows that are looked at together: many more no longer fit into a processor's caches, and take longer each."""


class Sight(Protocol):
    """What a training must know of its policy's eyes."""

    def look(self, frames: Frames, progress: Progress) -> Look:
        """How rows of a dataset are looked at; work that is done once is done now."""

    def begin(self, eyes: nn.Module) -> None:
        """Give new eyes the weights that they begin with."""

    def kept(self) -> dict[str, Tensor]:
        """Weights that are stored with the policy beside those that were trained."""


def images(frames: Frames, rows: FrameIndices) -> Tensor:
    """The images of `rows`. (B, V, 3, Y, X) in 0..1."""
    return as_images(np.stack([store[rows] for store in frames.images.values()], axis=1))


def as_images(images: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Tensor:
    """(B, V, Y, X, 3) in 0..255 -> (B, V, 3, Y, X) in 0..1."""
    return torch.from_numpy(images).movedim(-1, 2).to(torch.float32).div_(255.0)


def resized(views: Iterable[NDArray[np.uint8]], pixels: int) -> Tensor:
    """Images of each view, (B, Y, X, 3) of any size, by whole numbers as the training data were: to the last bit."""
    return as_images(np.stack([resize(view, (pixels, pixels)) for view in views], axis=1))


def open_sight(config: EncoderConfig, given: Path | None, device: str = "cpu") -> Sight:
    """The sight of a policy that is about to be trained; `given` is a file or folder of weights for its eyes."""
    if not isinstance(config, PretrainedConfig):
        if given:
            raise GlamError(
                f"--encoder-weights {given}: these eyes begin with random weights; choose others with --encoder"
            )
        return _NewSight()
    network = pretrained(config.network, given)
    return _FrozenSight(config, network.to(device)) if is_frozen(config) else _JointSight(network)


def trained_sight(config: EncoderConfig, weights: Mapping[str, Tensor], path: Path) -> Callable[[Tensor], Tensor]:
    """What makes of images what a trained policy's eyes are given; `weights` are all of the policy's, from `path`."""
    network = beside(config)
    own = {name.removeprefix(_FROZEN): weight for name, weight in weights.items() if name.startswith(_FROZEN)}
    tensors.fill(network.state_dict(), own, path)
    return partial(seen_with, network.eval())


def beside(config: EncoderConfig) -> Network | nn.Identity:
    """A new network of the kind that stands beside a policy: frozen eyes, or else one that changes nothing."""
    if isinstance(config, PretrainedConfig) and is_frozen(config):
        return build_network(config.network)
    return nn.Identity()


@torch.no_grad()
def seen_with(network: Network | nn.Identity, images: Tensor) -> Tensor:
    """What a policy's eyes are given of images, by the network beside it."""
    return images if isinstance(network, nn.Identity) else features(network, images)


def without_frozen(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights of a policy that were trained."""
    return {name: weight for name, weight in weights.items() if not name.startswith(_FROZEN)}


class _NewSight:
    """Of eyes that begin with random weights."""

    def look(self, frames: Frames, progress: Progress) -> Look:
        del frames, progress
        return images

    def begin(self, eyes: nn.Module) -> None:
        del eyes

    def kept(self) -> dict[str, Tensor]:
        return {}


class _JointSight(_NewSight):
    """Of eyes whose network goes on learning from what others have learnt."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def begin(self, eyes: nn.Module) -> None:
        assert isinstance(eyes, JointEyes), type(eyes)
        eyes.network.load_state_dict(self._network.state_dict())


class _FrozenSight(_NewSight):
    """Of eyes whose network stays as it is."""

    def __init__(self, config: PretrainedConfig, network: Network) -> None:
        self._config, self._network = config, network

    def look(self, frames: Frames, progress: Progress) -> Look:
        def featurize(rows: FrameIndices) -> Tensor:
            parts = np.array_split(rows, -(-len(rows) // _AT_ONCE))
            return torch.cat([self._seen_at(frames, part) for part in parts])

        return stored_features(frames, self._config.network, featurize, progress)

    def kept(self) -> dict[str, Tensor]:
        return {_FROZEN + name: weight.cpu() for name, weight in self._network.state_dict().items()}

    def _seen_at(self, frames: Frames, rows: FrameIndices) -> Tensor:
        device = next(self._network.parameters()).device
        return seen_with(self._network, images(frames, rows).to(device)).cpu()
