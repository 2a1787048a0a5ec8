import pytest
import torch

from glam.core.configs import from_tagged_json, to_json
from glam.core.errors import GlamError
from glam.policies.encoders import ENCODERS
from glam.policies.encoders.dinov2_s14 import DinoV2S14Config
from glam.policies.encoders.efficientnet_lite0 import EfficientNetLite0Config
from glam.policies.encoders.pretrained import PretrainedConfig

DINO = DinoV2S14Config(side=28, width=16, layers=2, heads=2)


def seen_by(config: PretrainedConfig, images: torch.Tensor) -> torch.Tensor:
    torch.manual_seed(0)
    with torch.no_grad():
        return config.new_backbone().eval()(images)


@pytest.mark.parametrize("reading", ["map", "pooled"])
def test_efficientnet_gives_as_many_numbers_as_its_config_says(reading) -> None:
    config = EfficientNetLite0Config(side=64, reading=reading)
    assert seen_by(config, torch.rand(2, 3, 48, 48)).shape == (2, config.features)


def test_a_map_moves_with_the_image() -> None:
    images = torch.full((2, 3, 96, 96), 127 / 255)
    images[0, :, 18:30, 66:78] = 1.0
    images[1, :, 66:78, 34:46] = 1.0
    places = seen_by(EfficientNetLite0Config(), images).unflatten(1, (112, 36)).norm(dim=1).argmax(1)
    (line, column), (other_line, other_column) = (divmod(place, 6) for place in places.tolist())
    assert (other_line - line, other_column - column) == (48 / 16, -32 / 16)


def test_dino_gives_the_class_token_of_each_view() -> None:
    pytest.importorskip("transformers", reason="the extra [encoders] is not installed")
    assert seen_by(DINO, torch.rand(2, 3, 20, 20)).shape == (2, 16)


def test_images_are_resized_and_normalized_inside() -> None:
    config = EfficientNetLite0Config(side=32)
    assert float(seen_by(config, torch.full((1, 3, 64, 64), 127 / 255)).abs().max()) == 0.0
    smooth = torch.linspace(0, 1, 64).expand(1, 3, 64, 64)
    small = torch.nn.functional.avg_pool2d(smooth, 2)
    torch.testing.assert_close(seen_by(config, smooth), seen_by(config, small), atol=0.01, rtol=0.05)


@pytest.mark.parametrize(
    ("kind", "side", "unit"), [(EfficientNetLite0Config, 48, 32), (DinoV2S14Config, 96, 14), (DinoV2S14Config, 0, 14)]
)
def test_sides_that_do_not_fit_are_refused(kind, side: int, unit: int) -> None:
    with pytest.raises(GlamError, match=f"side is {side} pixels; it must be a multiple of {unit}"):
        kind(side=side)


@pytest.mark.parametrize("config", [EfficientNetLite0Config(reading="pooled"), DINO])
def test_a_stored_config_comes_back_as_what_it_was(config) -> None:
    assert from_tagged_json(ENCODERS, to_json(config), "encoder") == config
