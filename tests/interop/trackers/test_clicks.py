import pytest
from tests.data import tiny

from glam.core.errors import GlamError
from glam.core.files import write_json
from glam.data.reader import Dataset
from glam.interop.trackers.clicks import read_clicks

GOOD = {"episode": 0, "camera": "front", "frame": 1, "left": [3, 4], "right": [9, 4]}


@pytest.fixture
def dataset(tmp_path):
    tiny.record(tmp_path / "set", 2)
    return Dataset.open(tmp_path / "set")


def read(tmp_path, dataset, *clicks, cameras=("front",)):
    write_json(tmp_path / "clicks.json", {"clicks": list(clicks)})
    return read_clicks(tmp_path / "clicks.json", dataset, cameras)


def test_a_click_is_the_place_in_the_image_whose_first_pixel_begins_at_0(tmp_path, dataset):
    (click,) = read(tmp_path, dataset, GOOD).of("arm", "front")
    assert click.places.tolist() == [[2.5, 3.5], [8.5, 3.5]]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"left": [17, 4]}, r"left \(17, 4\) is outside the image of 16 x 16 pixels"),
        ({"episode": 2}, "the episodes are 0 to 1"),
        ({"frame": 99}, "the episode has 4 frames"),
        ({"camera": "side"}, "the cameras are front, overhead"),
        ({"arm": "left"}, "the arms are arm"),
        ({"right": [3.2, 4]}, "left and right are at one place"),
    ],
)
def test_a_click_that_does_not_fit_is_refused_in_one_sentence(tmp_path, dataset, changes, words):
    with pytest.raises(GlamError, match=words):
        read(tmp_path, dataset, GOOD | changes)


def test_a_camera_without_clicks_is_named(tmp_path, dataset):
    with pytest.raises(GlamError, match=r"no click on the fingertips of arm in overhead; .* --cameras front"):
        read(tmp_path, dataset, GOOD, cameras=("front", "overhead"))
