"""A tiny pretrained encoder for tests: EfficientNet-Lite0 at 32 pixels with random weights, as torch writes them."""

from pathlib import Path

import torch

from glam.core.files import sha256
from glam.nn.efficientnet_lite import EfficientNetLite0, published_name
from glam.policies.encoders.efficientnet_lite0 import EfficientNetLite0Config


def write_weights(path: Path, seed: int = 0) -> str:
    """Write a file like the published one, with random weights; returns its sha256."""
    torch.manual_seed(seed)
    network = EfficientNetLite0()
    for parameter in network.parameters():
        if parameter.ndim == 4:  # strong enough that something arrives at the end of so many layers
            torch.nn.init.kaiming_normal_(parameter)
    found = {published_name(name): tensor for name, tensor in network.state_dict().items()}
    extra = {"_fc.weight": torch.zeros(1000, 1280), "_bn0.num_batches_tracked": torch.tensor(7)}
    torch.save(found | extra, path)
    return sha256(path)


def config(digest: str, training: str = "frozen") -> EfficientNetLite0Config:
    return EfficientNetLite0Config(
        side=32,
        sha256=digest,
        training=training,
        pixels=16,
        hidden=16,
        code=8,  # type: ignore[arg-type]
    )
