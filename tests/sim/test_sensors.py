import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.sim.embodiments.kinova_lab import KINOVA_LAB
from glam.sim.sensors import PERFECT_CAMERA, CameraNoise, CameraOffset, EpisodeCameraNoise

GREY = np.full((2, 64, 64, 3), 120, np.uint8)


def drawn(noise: CameraNoise, seed: int = 0) -> EpisodeCameraNoise:
    return noise.draw(2, np.random.default_rng(seed))


def spread_of(image) -> float:
    """Standard deviation of a bright dot's light about its middle, in pixels."""
    light = image[..., 0].astype(float)
    x = np.arange(light.shape[1])
    weights = light.sum(axis=0) / light.sum()
    return float(np.sqrt((weights * (x - (weights * x).sum()) ** 2).sum()))


def test_a_perfect_camera_leaves_images_and_cameras_untouched():
    camera = drawn(PERFECT_CAMERA)
    images = np.random.default_rng(0).integers(0, 256, (2, 16, 16, 3), dtype=np.uint8)
    assert camera.is_perfect
    assert camera.apply(images) is images
    assert not camera.shifts.any()
    assert (camera.turns == np.identity(3)).all()


def test_the_laboratorys_cameras_are_off_by_at_most_a_centimetre_and_two_degrees():
    draws = [drawn(KINOVA_LAB.camera_noise, seed) for seed in range(200)]
    shifts = np.linalg.norm([draw.shifts for draw in draws], axis=-1).ravel()
    traces = np.trace(np.array([draw.turns for draw in draws]), axis1=-2, axis2=-1).ravel()
    degrees = np.rad2deg(np.arccos(np.clip((traces - 1) / 2, -1, 1)))
    assert 0.009 < shifts.max() <= 0.01
    assert 1.8 < degrees.max() <= 2.0
    assert 0.003 < shifts.mean() < 0.007
    directions = np.concatenate([draw.shifts for draw in draws])
    assert np.abs(directions.mean(axis=0)).max() < 0.001  # no preferred direction


def test_exposure_scales_brightness_within_its_range_and_differs_between_episodes():
    gains = [drawn(CameraNoise(exposure=0.2), seed).apply(GREY).mean() / 120 for seed in range(100)]
    assert 0.75 < min(gains) < 0.9
    assert 1.1 < max(gains) < 1.25
    assert np.mean(gains) == pytest.approx(1.0, abs=0.05)


def test_noise_has_the_standard_deviation_it_says_and_is_new_in_every_frame():
    camera = drawn(CameraNoise(noise=4.0))
    first, second = camera.apply(GREY), camera.apply(GREY)
    assert (first.astype(float) - 120).std() == pytest.approx(4.0, rel=0.05)
    assert (first.astype(float) - 120).mean() == pytest.approx(0.0, abs=0.1)
    assert np.corrcoef(first.ravel().astype(float), second.ravel().astype(float))[0, 1] < 0.05


def test_blur_spreads_a_dot_by_its_standard_deviation_and_keeps_its_light():
    dot = np.zeros((2, 96, 96, 3), np.uint8)
    dot[:, 46:50, 46:50] = 250
    camera = drawn(CameraNoise(blur=2.0))
    seen = camera.apply(dot)
    for view in range(2):
        wanted = np.sqrt(camera.blurs[view] ** 2 + spread_of(dot[view]) ** 2)
        assert spread_of(seen[view]) == pytest.approx(wanted, rel=0.05)
        assert seen[view].sum() == pytest.approx(dot[view].sum(), rel=0.03)
    assert (camera.blurs >= 0.6).all()
    assert (camera.blurs <= 2.0).all()


def test_blur_is_the_same_share_of_an_image_of_any_size():
    dots = [np.zeros((2, size, size, 3), np.uint8) for size in (96, 192)]
    for dot in dots:
        middle, half = dot.shape[1] // 2, dot.shape[1] // 48
        dot[:, middle - half : middle + half, middle - half : middle + half] = 250
    camera = drawn(CameraNoise(blur=2.0))
    small, large = (spread_of(camera.apply(dot)[0]) for dot in dots)
    assert large == pytest.approx(2 * small, rel=0.05)


def test_values_stay_within_eight_bits():
    camera = drawn(CameraNoise(exposure=0.2, noise=30.0))
    for level in (0, 255):
        seen = camera.apply(np.full((2, 16, 16, 3), level, np.uint8))
        assert seen.dtype == np.uint8
        assert abs(int(np.median(seen)) - level) < 80


def test_the_same_generator_gives_the_same_imperfections():
    one, other = (drawn(KINOVA_LAB.camera_noise, 3).apply(GREY) for _ in range(2))
    assert one.tobytes() == other.tobytes()
    assert drawn(KINOVA_LAB.camera_noise, 4).apply(GREY).tobytes() != one.tobytes()


def test_cameras_that_stand_elsewhere_still_aim_at_the_scene():
    usual, target = np.array([1.4, 0.0, 0.5]), np.array([0.4, 0.0, 0.1])
    offset = CameraOffset(centimetres=10.0, degrees=15.0)
    for seed in range(10):
        place, orientation = offset.moved(usual, target, np.random.default_rng(seed))
        assert -orientation[:, 2] == pytest.approx((target - place) / np.linalg.norm(target - place))
        assert 0.0 < np.linalg.norm(place - usual) < 0.1 + np.deg2rad(15.0) * np.linalg.norm(usual - target) + 1e-9
    for wrong in ({"centimetres": -1.0}, {"degrees": 90.0}):
        with pytest.raises(GlamError, match="--camera-offset"):
            CameraOffset(**wrong)
