import pytest

from glam.core.errors import GlamError
from glam.core.files import write_json
from glam.data.check.info import recorded_info
from glam.data.dataset_info import parse_feature, schema_of
from glam.data.layout import RECORDING
from glam.interop.lerobot.entries import Entry, features_of, notation

DECLARED = {
    "observation.images.top": {"dtype": "video", "shape": [48, 64, 3], "names": ["height", "width", "channels"]},
    "observation.image": {"dtype": "image", "shape": [3, 48, 64], "names": ["channels", "height", "width"]},
    "observation.images.deep": {"dtype": "video", "shape": [48, 64, 1], "names": None, "info": {"is_depth_map": True}},
    "observation.state": {"dtype": "float32", "shape": [4], "names": {"motors": ["x", "y", "z", "gripper"]}},
    "observation.raw": {"dtype": "float64", "shape": [3], "names": None},
    "timestamp": {"dtype": "float32", "shape": [1], "names": None},
    "note": {"dtype": "string", "shape": [1], "names": None},
    "grid": {"dtype": "float32", "shape": [2, 2], "names": None},
}


def parsed(declared):
    return {key: parse_feature(feature) for key, feature in declared.items()}


FEATURES = features_of(parsed(DECLARED))


def entries(text):
    return [(entry.feature, entry.number) for entry in FEATURES.select("--map ours", text)]


def test_images_and_lists_of_numbers_are_told_apart_and_the_rest_is_passed_over():
    assert list(FEATURES.vectors) == ["observation.state", "observation.raw"]
    assert list(FEATURES.images) == ["observation.images.top", "observation.image", "observation.images.deep"]


def test_channels_may_be_declared_first():
    image = FEATURES.images["observation.image"]
    assert (image.image_shape, image.dtype) == ((48, 64, 3), "image")


def test_depth_is_known_for_what_it_is():
    assert FEATURES.images["observation.images.deep"].is_depth
    assert not FEATURES.images["observation.images.top"].is_depth


def test_entries_have_names_or_else_numbers():
    assert [entry.name for entry in FEATURES.vectors["observation.state"].entries] == ["x", "y", "z", "gripper"]
    assert [entry.name for entry in FEATURES.vectors["observation.raw"].entries] == ["0", "1", "2"]
    assert not FEATURES.vectors["observation.raw"].is_named


def test_names_in_groups_are_the_same_for_every_reader(tmp_path):
    grouped = {"dtype": "float32", "shape": [3], "names": {"left": ["lift", "grip"], "right": ["turn"]}}
    declared = {
        "observation.images.top": DECLARED["observation.images.top"],
        "observation.state": grouped,
        "action": grouped,
    }
    write_json(tmp_path / RECORDING, {"schema": {"fps": 10, "features": declared}})
    checked = recorded_info(tmp_path).features["action"].names
    adopted = tuple(entry.name for entry in features_of(parsed(declared)).vectors["action"].entries)
    opened = schema_of(parsed(declared), 10, (), ()).action_names
    assert checked == adopted == opened == ("lift", "grip", "turn")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("observation.raw", [("observation.raw", 0), ("observation.raw", 1), ("observation.raw", 2)]),
        ("observation.raw[1:]", [("observation.raw", 1), ("observation.raw", 2)]),
        ("observation.state[gripper, 0]", [("observation.state", 3), ("observation.state", 0)]),
        ("observation.state[x] + observation.raw[:1]", [("observation.state", 0), ("observation.raw", 0)]),
    ],
)
def test_entries_are_asked_for_by_range_number_and_name(text, wanted):
    assert entries(text) == wanted


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("observation.stat", r"--map ours: no feature 'observation.stat' of numbers; .* has observation.state"),
        ("observation.images.top", "no feature 'observation.images.top' of numbers"),
        ("observation.state[w]", r"observation.state has no entry 'w'; it has 4: x, y, z, gripper"),
        ("observation.state[9]", "has no entry '9'"),
        ("observation.state[x", r"is not written as FEATURE"),
        ("", "is not written as FEATURE"),
    ],
)
def test_what_is_not_there_is_named(text, sentence):
    with pytest.raises(GlamError, match=sentence):
        entries(text)


def test_what_was_found_is_told_in_words_that_can_be_asked_for_again():
    assert notation(FEATURES.select("", "observation.state[x,z]+observation.raw[2]")) == (
        "observation.state[x, z] + observation.raw[2]"
    )
    assert notation((Entry("a", 0, "b"),)) == "a[b]"
