"""Encoder and decoder have the paper's layers, and their memory format changes the speed but no value."""

from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from torch import nn

from glam.core.errors import GlamError
from glam.nn.layers import ConvImageModel, ImageShape, VisualDecoder, VisualEncoder

SMALL = ConvImageModel(widths=(4, 4, 8, 8), feature_size=6)


def images(count: int, shape: ImageShape) -> torch.Tensor:
    return torch.rand(count, shape.channels, shape.height, shape.width, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("channels", [1, 4, 6])
@pytest.mark.parametrize(("height", "width"), [(32, 32), (48, 64)])
def test_any_channels_and_any_multiple_of_sixteen_go_in_and_come_out(channels, height, width):
    shape = ImageShape(channels, height, width)
    feature = VisualEncoder(shape, SMALL)(images(3, shape))
    assert feature.shape == (3, 6)
    assert VisualDecoder(shape, SMALL)(feature).shape == (3, channels, height, width)


@pytest.mark.parametrize(("channels", "height", "width"), [(3, 40, 64), (3, 64, 65), (0, 64, 64), (3, 0, 64)])
def test_other_sizes_are_refused(channels, height, width):
    with pytest.raises(GlamError, match="multiples of 16"):
        ImageShape(channels, height, width)


def test_the_paper_scale_has_the_parameters_of_its_layers():
    shape = ImageShape(6, 64, 64)
    widths = (6, 32, 64, 128, 256)
    kernels = sum(16 * a * b for a, b in pairwise(widths))
    encoder = kernels + sum(widths[1:]) + 4096 * 128 + 128
    decoder = kernels + sum(widths[:-1]) + 128 * 4096 + 4096
    assert sum(p.numel() for p in VisualEncoder(shape, ConvImageModel()).parameters()) == encoder
    assert sum(p.numel() for p in VisualDecoder(shape, ConvImageModel()).parameters()) == decoder


def test_the_normalized_feature_cannot_shrink_and_the_plain_one_can():
    shape = ImageShape(2, 32, 32)
    for config, shrinks in [(SMALL, False), (replace(SMALL, is_normalized=False), True)]:
        encoder = VisualEncoder(shape, config)
        with torch.no_grad():
            before = encoder(images(8, shape)).std(1).mean()
            encoder.project.weight *= 0.1
            encoder.project.bias *= 0.1
            after = encoder(images(8, shape)).std(1).mean()
        assert (after < 0.5 * before) == shrinks


def test_the_memory_format_of_the_input_changes_no_value():
    shape = ImageShape(3, 32, 32)
    encoder = VisualEncoder(shape, SMALL)
    image = images(2, shape)
    last = image.contiguous(memory_format=torch.channels_last)
    assert torch.equal(encoder(image), encoder(last))


def test_weights_and_images_are_kept_channels_last():
    shape = ImageShape(3, 32, 32)
    encoder, decoder = VisualEncoder(shape, SMALL), VisualDecoder(shape, SMALL)
    modules = (*encoder.modules(), *decoder.modules())
    convolutions = [module for module in modules if isinstance(module, nn.Conv2d | nn.ConvTranspose2d)]
    assert len(convolutions) == 8
    assert all(c.weight.is_contiguous(memory_format=torch.channels_last) for c in convolutions)
    assert decoder(encoder(images(2, shape))).is_contiguous(memory_format=torch.channels_last)


def test_the_decoder_ends_with_a_linear_layer_so_that_its_values_may_be_logits():
    shape = ImageShape(2, 32, 32)
    decoder = VisualDecoder(shape, SMALL)
    with torch.no_grad():
        decoder.convolutions[-1].bias.copy_(torch.tensor([-5.0, 5.0]))
    low, high = decoder(torch.zeros(1, 6))[0]
    assert low.max() < 0 < high.min()
