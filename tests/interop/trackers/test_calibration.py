import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.core.files import write_json
from glam.interop.trackers.calibration import read_calibration

FRONT = {
    "size": [640, 480],
    "focal": [600, 600],
    "centre": [320, 240],
    "position": [0, 0, -1],
    "rotation": np.identity(3).tolist(),
}


def read(tmp_path, camera, wanted=()):
    write_json(tmp_path / "cameras.json", {"cameras": {"front": camera}})
    return read_calibration(tmp_path / "cameras.json", wanted)


def test_pixels_become_units_of_the_image(tmp_path):
    places, seen = read(tmp_path, FRONT)["front"].project(np.array([[0.1, -0.1, 0.0]]))
    assert places[0] == pytest.approx([(320 + 60) / 640, (240 - 60) / 480])
    assert seen.all()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rotation": (2 * np.identity(3)).tolist()}, "front: rotation is no rotation"),
        ({"focal": [0, 600]}, "front: size and focal must be above 0"),
    ],
)
def test_a_calibration_that_cannot_be_is_refused(tmp_path, changes, words):
    with pytest.raises(GlamError, match=words):
        read(tmp_path, FRONT | changes)


def test_a_camera_that_is_not_there_is_named_with_those_that_are(tmp_path):
    with pytest.raises(GlamError, match="no camera side; it has front"):
        read(tmp_path, FRONT, ("side",))
