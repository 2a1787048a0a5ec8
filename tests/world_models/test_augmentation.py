from dataclasses import replace

import pytest
import torch

from glam.core.configs import from_json, to_json
from glam.nn.gaussian import Noise
from glam.world_models.batches import COLOURS, NO_AUGMENTATION, Augmentation


def images(windows: int = 400) -> torch.Tensor:
    return torch.rand(windows, 3, 6, 8, 8, generator=torch.Generator().manual_seed(1))


def applied(augmentation: Augmentation, image: torch.Tensor, seed: int = 0) -> torch.Tensor:
    return augmentation.applied(image, Noise.seeded(seed))


def test_each_channel_of_a_window_is_one_affine_map_for_all_its_frames() -> None:
    image = images()
    moved = applied(COLOURS, image)
    for window in (0, 7):
        for channel in range(6):
            x, y = image[window, :, channel].flatten(), moved[window, :, channel].flatten()
            design = torch.stack([x, torch.ones_like(x)], dim=1)
            fitted = design @ torch.linalg.lstsq(design, y[:, None]).solution
            torch.testing.assert_close(fitted[:, 0], y, rtol=0, atol=1e-5)


def test_gain_contrast_and_offset_have_their_ranges() -> None:
    dark, bright = torch.zeros(4000, 1, 2, 4, 4), torch.ones(4000, 1, 2, 4, 4)

    def ends(augmentation: Augmentation) -> tuple[torch.Tensor, torch.Tensor]:
        return applied(augmentation, dark)[:, 0, :, 0, 0], applied(augmentation, bright)[:, 0, :, 0, 0]

    low, high = ends(Augmentation(gain=0.5))
    assert low.abs().max() == 0.0
    assert high.min() == pytest.approx(0.5, abs=0.01)
    assert high.max() == pytest.approx(1.5, abs=0.01)
    low, high = ends(Augmentation(offset=0.3))
    assert low.min() == pytest.approx(-0.3, abs=0.01)
    torch.testing.assert_close(high - low, torch.ones_like(low))
    low, high = ends(Augmentation(contrast=0.5))
    torch.testing.assert_close(low[:, 0], low[:, 1], msg="the contrast is the same for all channels")
    torch.testing.assert_close((low + high) / 2, torch.full_like(low, 0.5))
    assert (high - low).min() == pytest.approx(0.5, abs=0.01)
    assert (high - low).max() == pytest.approx(1.5, abs=0.01)


def test_no_augmentation_draws_nothing_and_changes_nothing() -> None:
    image, noise = images(2), Noise.seeded(0)
    before = noise.generator.get_state()
    assert NO_AUGMENTATION.applied(image, noise) is image
    assert torch.equal(noise.generator.get_state(), before)


def test_a_full_blur_spreads_a_point_and_keeps_its_sum() -> None:
    image = torch.zeros(500, 2, 3, 8, 8)
    image[:, :, :, 4, 4] = 1.0
    blurred = applied(Augmentation(blur=1.0), image)
    torch.testing.assert_close(blurred.sum((3, 4)), torch.ones(500, 2, 3))
    centre = blurred[:, 0, 0, 4, 4]
    assert centre.min() == pytest.approx(0.25, abs=0.02)
    assert centre.max() == pytest.approx(1.0, abs=0.02)


def test_noise_differs_between_frames_and_has_at_most_its_size() -> None:
    flat = torch.full((500, 2, 3, 8, 8), 0.5)
    deviation = (applied(Augmentation(noise=0.1), flat) - flat).flatten(1).std(1)
    assert 0.08 < deviation.max() < 0.12
    noisy = applied(Augmentation(noise=0.1), flat[:1])
    assert not torch.equal(noisy[0, 0], noisy[0, 1])


def test_a_cut_out_square_stays_in_place_for_a_window_and_lies_inside() -> None:
    cut = applied(Augmentation(cut_out=0.5), torch.ones(300, 2, 3, 8, 8)) == 0.5
    assert torch.equal(cut[:, 0], cut[:, 1])
    assert torch.equal(cut.sum((3, 4)), torch.full((300, 2, 3), 16))
    assert cut.any(0)[0, 0].all(), "every pixel is hidden in some window"


def test_a_change_of_strength_survives_json() -> None:
    changed = replace(COLOURS, blur=0.5)
    assert from_json(Augmentation, to_json(changed)) == changed
