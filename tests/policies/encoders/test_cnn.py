from dataclasses import replace

import pytest
import torch
from tests.policies import tiny

from glam.policies.encoders import cnn
from glam.policies.encoders.cnn import Cnn, CnnConfig, spatial_softmax

CONFIG = CnnConfig(pixels=32, widths=(4, 8), points=6, precision="fp32", hidden=16, code=5)


def test_a_map_with_one_peak_is_read_as_its_place_and_height():
    maps = torch.zeros(1, 2, 5, 9)
    maps[0, 0, 4, 0] = 50.0
    maps[0, 1, 2, 6] = 40.0
    points = spatial_softmax(maps, torch.ones(2))
    assert points[0].tolist() == pytest.approx([-1.0, 0.5, 1.0, 0.0, 50.0, 40.0], abs=1e-5)


def test_an_even_map_is_read_as_the_middle():
    assert spatial_softmax(torch.ones(1, 1, 4, 4), torch.ones(1))[0].tolist() == pytest.approx(
        [0.0, 0.0, 1.0], abs=1e-6
    )


def test_two_equal_peaks_are_read_as_the_point_between_them():
    maps = torch.zeros(1, 1, 3, 3)
    maps[0, 0, 0, 0] = maps[0, 0, 2, 0] = 60.0
    assert spatial_softmax(maps, torch.ones(1))[0].tolist() == pytest.approx([-1.0, 0.0, 60.0], abs=1e-5)


def test_a_sharper_reading_lies_nearer_to_the_peak():
    maps = torch.zeros(1, 1, 1, 5)
    maps[0, 0, 0, 4] = 1.0
    soft, sharp = (spatial_softmax(maps, torch.tensor([value]))[0, 0].item() for value in (1.0, 10.0))
    assert 0.0 < soft < sharp < 1.0


def test_points_move_with_the_thing_that_is_seen():
    torch.manual_seed(0)
    encoder = Cnn(1, CONFIG)
    sharpness = torch.full((CONFIG.points,), 1e5)  # new weights answer faintly
    image = torch.zeros(1, 3, 32, 32)
    image[:, :, 12:16, 8:12] = torch.rand(3, 1, 1)
    moved = image.roll(8, dims=-1)  # two places of the map, which has 8
    before, after = (spatial_softmax(encoder.views[0](seen), sharpness)[0] for seen in (image, moved))
    shift = (after - before)[: CONFIG.points]
    inside = before[: CONFIG.points].abs() < 0.9  # channels that answer to the thing, not to the edge of the image
    assert inside.sum() >= 2
    assert shift[inside].tolist() == pytest.approx([2 * 2 / 7] * int(inside.sum()), abs=1e-3)


def test_the_code_sees_every_view():
    torch.manual_seed(0)
    encoder = Cnn(2, CONFIG)
    images = torch.rand(3, 2, 3, 32, 32)
    code = encoder(images)
    assert code.shape == (3, 5)
    for view in range(2):
        other = images.clone()
        other[:, view] = 1.0 - other[:, view]
        assert not torch.allclose(encoder(other), code, atol=1e-4)


def test_every_weight_gets_a_gradient():
    torch.manual_seed(0)
    encoder = Cnn(2, CONFIG)
    encoder(torch.rand(4, 2, 3, 32, 32)).square().mean().backward()
    assert all(parameter.grad is not None and parameter.grad.abs().sum() > 0 for parameter in encoder.parameters())


def test_every_view_has_a_network_of_its_own():
    torch.manual_seed(0)
    encoder = Cnn(2, tiny.OBSERVATION.encoder)
    images = tiny.normal(3, 2, 3, 16, 16).sigmoid()
    assert encoder(images).shape == (3, 8)
    assert not torch.allclose(encoder(images), encoder(images.flip(1)))


def test_bf16_convolutions_train_as_fp32_ones_and_act_in_fp32(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cnn, "multiplies_in_bf16", lambda: True)
    torch.manual_seed(0)
    exact, rounded = Cnn(2, CONFIG), Cnn(2, replace(CONFIG, precision="bf16"))
    rounded.load_state_dict(exact.state_dict())
    images = torch.rand(8, 2, 3, 32, 32)
    for encoder in (exact, rounded):
        encoder(images).square().mean().backward()
    for one, other in zip(exact.parameters(), rounded.parameters(), strict=True):
        assert one.grad is not None
        assert other.grad is not None
        assert other.grad.dtype == torch.float32
        assert torch.linalg.norm(one.grad - other.grad) < 0.03 * torch.linalg.norm(one.grad)
    assert not torch.equal(exact(images), rounded(images))
    assert torch.equal(exact.eval()(images), rounded.eval()(images))


def test_processors_without_bf16_instructions_train_in_fp32(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cnn, "multiplies_in_bf16", lambda: False)
    torch.manual_seed(0)
    encoder = Cnn(2, replace(CONFIG, precision="bf16"))
    images = torch.rand(4, 2, 3, 32, 32)
    assert torch.equal(encoder(images), encoder.eval()(images))
