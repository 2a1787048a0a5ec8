"""The registry of image encoders for world models.

An entry is a config that builds an encoder q(y | o) and a decoder p(o | y). To add one, write a dataclass with the
members of `ImageModel`, and add it to `ENCODERS` under its tag. A command selects it with
`--set 'model.parts.encoder={"kind": ...}'`.
"""

from typing import Protocol

from torch import nn

from glam.nn.layers import ConvImageModel, ImageShape


class ImageModel(Protocol):
    """Config of an image encoder with its decoder."""

    @property
    def kind(self) -> str:
        """The tag, by which a stored config finds its class again."""

    @property
    def feature_size(self) -> int:
        """Size d_o of the visual feature y."""

    def encoder(self, image: ImageShape) -> nn.Module:
        """A new network: (B, C, Y, X) in 0..1 -> (B, d_o)."""

    def decoder(self, image: ImageShape) -> nn.Module:
        """A new network: (B, d_o) -> (B, C, Y, X), intensities of RGB or logits of masks."""


ENCODERS: dict[str, type[ImageModel]] = {
    "conv": ConvImageModel,
}
"""Every image encoder by the tag of its config."""
