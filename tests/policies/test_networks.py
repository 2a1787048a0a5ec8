import pytest
import torch

from glam.core.configs import from_json, to_json
from glam.core.errors import GlamError
from glam.policies.networks import DinoConfig, EfficientNetConfig, NetworkConfig, build_network

DINO = DinoConfig(side=28, width=16, layers=2, heads=2)


def seen_by(config: NetworkConfig, images: torch.Tensor) -> torch.Tensor:
    torch.manual_seed(0)
    with torch.no_grad():
        return build_network(config).eval()(images)


@pytest.mark.parametrize("reading", ["map", "pooled"])
def test_efficientnet_gives_as_many_numbers_as_its_config_says(reading) -> None:
    config = EfficientNetConfig(side=64, reading=reading)
    assert seen_by(config, torch.rand(2, 3, 48, 48)).shape == (2, config.size)


def test_a_map_moves_with_the_image() -> None:
    images = torch.full((2, 3, 96, 96), 127 / 255)
    images[0, :, 18:30, 66:78] = 1.0
    images[1, :, 66:78, 34:46] = 1.0
    places = seen_by(EfficientNetConfig(), images).unflatten(1, (112, 36)).norm(dim=1).argmax(1)
    (line, column), (other_line, other_column) = (divmod(place, 6) for place in places.tolist())
    assert (other_line - line, other_column - column) == (48 / 16, -32 / 16)


def test_dino_gives_the_class_token_of_each_view() -> None:
    pytest.importorskip("transformers", reason="the extra [encoders] is not installed")
    assert seen_by(DINO, torch.rand(2, 3, 20, 20)).shape == (2, 16)


def test_images_are_resized_and_normalized_inside() -> None:
    config = EfficientNetConfig(side=32)
    assert float(seen_by(config, torch.full((1, 3, 64, 64), 127 / 255)).abs().max()) == 0.0
    smooth = torch.linspace(0, 1, 64).expand(1, 3, 64, 64)
    small = torch.nn.functional.avg_pool2d(smooth, 2)
    torch.testing.assert_close(seen_by(config, smooth), seen_by(config, small), atol=0.01, rtol=0.05)


@pytest.mark.parametrize(
    ("kind", "side", "unit"), [(EfficientNetConfig, 48, 32), (DinoConfig, 96, 14), (DinoConfig, 0, 14)]
)
def test_sides_that_do_not_fit_are_refused(kind, side: int, unit: int) -> None:
    with pytest.raises(GlamError, match=f"{side} pixels; their side must be a multiple of {unit}"):
        kind(side=side)


@pytest.mark.parametrize("config", [EfficientNetConfig(reading="pooled"), DINO])
def test_a_stored_config_comes_back_as_what_it_was(config) -> None:
    assert from_json(NetworkConfig, to_json(config)) == config  # type: ignore[arg-type]  # a union
