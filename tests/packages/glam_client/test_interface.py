import numpy as np
import pytest
from tests.serving.conftest import INTERFACE, observation

from glam_client.errors import GlamError
from glam_client.interface import check, resized, step_times
from glam_client.resizing import resize

BLACK = np.zeros((480, 640, 3), np.uint8)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"images": {"front": BLACK}}, "exactly these cameras: front, wrist"),
        ({"images": {"front": BLACK, "wrist": BLACK, "third": BLACK}}, "exactly these cameras"),
        ({"images": {"front": BLACK, "wrist": BLACK.astype(float)}}, r"wrist must be \(height, width, 3\) of uint8"),
        ({"images": {"front": BLACK[..., 0], "wrist": BLACK}}, "front must be"),
        ({"images": {"front": BLACK, "wrist": BLACK[:0]}}, "wrist must be"),
        ({"pose": np.zeros(9)}, "pose must be 10 finite numbers"),
        ({"state": np.array([0.0, np.nan])}, "state must be 2 finite numbers"),
        ({"time": float("nan")}, "time must be"),
        ({"time": 1e300}, "time must be"),
    ],
)
def test_what_the_policy_cannot_be_asked_about_is_refused(changes, sentence) -> None:
    with pytest.raises(GlamError, match=sentence):
        check(observation(**changes), INTERFACE)


def test_images_of_any_size_become_what_the_training_data_became() -> None:
    large = np.random.default_rng(0).integers(0, 256, (48, 64, 3), np.uint8)
    seen = observation(images={"front": large, "wrist": large})
    check(seen, INTERFACE)
    small = resized(seen, INTERFACE).images["wrist"]
    assert small.tobytes() == resize(large[None], (16, 16)).tobytes()


def test_the_first_action_is_due_when_the_images_were_taken() -> None:
    assert step_times(7.0, INTERFACE).tolist() == pytest.approx([7.0, 7.1, 7.2, 7.3, 7.4, 7.5])
