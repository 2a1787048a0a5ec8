import pytest
import torch
from tests.world_models import tiny

from glam.nn.gaussian import Noise
from glam.world_models.states import StateModel, States, StatesConfig


def model(**choices: object) -> StateModel:
    torch.manual_seed(0)
    return StateModel(tiny.SIZES, tiny.PARTS, StatesConfig(**choices))


@pytest.mark.parametrize(
    ("choices", "feature", "pose"), [({}, 12, 10), ({"has_pose": False}, 12, 0), ({"has_image": False}, 0, 10)]
)
def test_a_part_that_is_left_out_has_size_zero(choices: dict[str, object], feature: int, pose: int) -> None:
    states = model(**choices).encode(tiny.batch().target)
    assert states.feature.shape == (3, 4, feature)
    assert states.pose.shape == (3, 4, pose)
    assert states.x.shape == (3, 4, feature + pose)


def test_current_and_next_pair_each_frame_with_the_one_after_it() -> None:
    states = States(torch.arange(4.0).view(1, 4, 1), torch.arange(4.0).view(1, 4, 1))
    assert states.current().feature.flatten().tolist() == [0, 1, 2]
    assert states.next().pose.flatten().tolist() == [1, 2, 3]


@pytest.mark.parametrize(("frames", "expected"), [(2, [[0, 1, 2], [1, 2, 3]]), (3, [[0, 1, 2], [1, 2, 3], [2, 3, 3]])])
def test_an_idm_sees_the_frames_ahead_and_at_the_end_the_last_one_again(
    frames: int, expected: list[list[float]]
) -> None:
    states = States(torch.arange(4.0).view(1, 4, 1), torch.zeros(1, 4, 0))
    assert [seen.flatten().tolist() for seen in states.ahead(frames, 3)] == expected
    assert states.without_last(1).feature.flatten().tolist() == [0, 1, 2]


def test_the_reconstruction_of_some_frames_is_an_unbiased_estimate_of_that_of_all() -> None:
    windows = tiny.batch().target
    whole = model(reconstructed_fraction=1.0, observation="masks")
    half = model(reconstructed_fraction=0.5, observation="masks")
    feature = whole.encode(windows).feature.detach()
    every = whole.reconstruction_error(feature, windows.image, Noise.seeded(0)).item()
    drawn = [half.reconstruction_error(feature, windows.image, Noise.seeded(seed)).item() for seed in range(400)]
    spread = torch.tensor(drawn).std() / 20
    assert abs(sum(drawn) / 400 - every) < 4 * spread


def test_without_images_nothing_is_reconstructed() -> None:
    blind = model(has_image=False)
    assert blind.reconstruction_error(torch.zeros(3, 4, 0), tiny.batch().target.image, Noise.seeded(0)) == 0.0


@pytest.mark.parametrize("observation", ["images", "masks"])
def test_decoded_images_lie_between_zero_and_one(observation: str) -> None:
    image = model(observation=observation).image(torch.randn(5, 12) * 10).detach()
    assert image.shape == (5, 4, 16, 16)
    assert 0.0 <= float(image.min()) <= float(image.max()) <= 1.0
