"""Clicks as users give them; what is wrong with one is told in a sentence."""

import json

import pytest
from tests.data import tiny

from glam.core.errors import GlamError
from glam.data.reader import Dataset
from glam.interop.segmenters.prompts import (
    Prompt,
    Prompts,
    joined,
    parse_objects,
    read_prompts,
    require_fitting,
    write_prompts,
)
from glam.interop.segmenters.segmenter import LOWER_RIGHT, OFF, ON, UPPER_LEFT


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    root = tmp_path_factory.mktemp("prompts") / "set"
    tiny.record(root, 2)
    return Dataset.open(root)


def test_clicks_boxes_and_colours_are_told_apart():
    given = parse_objects(["red=front@0:31,64", "blue=front@7/2:1,2,3.5,4", "red=over@head@1:5,6", "green=#20c020"])
    assert given.objects == ("red", "blue", "green")
    assert given.prompts == (
        Prompt(0, "front", "red", 0, on=((31.0, 64.0),)),
        Prompt(7, "front", "blue", 2, box=(1.0, 2.0, 3.5, 4.0)),
        Prompt(0, "over@head", "red", 1, on=((5.0, 6.0),)),
    )
    assert given.colours == {"green": "#20c020"}


def test_several_clicks_in_one_frame_add_up_in_the_order_given():
    given = joined(parse_objects(["red=front@0:1,2"]), parse_objects(["red=front@0:3,4", "blue=front@0:5,6"]))
    assert given.objects == ("red", "blue")
    assert given.prompts[0].on == ((1.0, 2.0), (3.0, 4.0))


def test_a_hint_has_the_clicks_and_the_corners_of_the_box():
    prompt = Prompt(0, "front", "red", on=((1.0, 2.0),), off=((3.0, 4.0),), box=(0.0, 1.0, 5.0, 6.0))
    assert prompt.hint.points == ((1.0, 2.0), (3.0, 4.0), (0.0, 1.0), (5.0, 6.0))
    assert prompt.hint.kinds == (ON, OFF, UPPER_LEFT, LOWER_RIGHT)


def test_prompts_are_looked_up_by_episode_and_camera():
    given = parse_objects(["red=front@0:1,2", "red=front@3:4,5", "blue=overhead@0:1,1", "red=front@1/0:9,9"])
    assert {name: sorted(frames) for name, frames in given.of(0, "front").items()} == {"red": [0, 3]}
    assert list(given.of(1, "front")) == ["red"]
    assert given.of(1, "overhead") == {}


def test_a_file_comes_back_as_it_was_written(tmp_path):
    given = parse_objects(["red=front@0:31,64", "blue=front@7/2:1,2,3,4", "green=#20c020"])
    write_prompts(tmp_path / "clicks.json", given)
    assert read_prompts(tmp_path / "clicks.json") == given


def test_a_file_may_leave_out_what_is_usual(tmp_path):
    content = {"objects": ["red"], "prompts": [{"episode": 1, "camera": "front", "object": "red", "on": [[3, 4]]}]}
    (tmp_path / "clicks.json").write_text(json.dumps(content))
    assert read_prompts(tmp_path / "clicks.json") == Prompts(("red",), (Prompt(1, "front", "red", on=((3.0, 4.0),)),))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "not valid JSON"),
        ('{"objects": ["red"], "prompts": [{"episode": 1}]}', "field 'camera' is missing"),
        ('{"objects": "red"}', "'red' is not a list"),
        ('{"objects": ["red"], "clicks": []}', "unknown field 'clicks'; known are colours, objects, prompts"),
    ],
)
def test_a_file_that_is_no_list_of_clicks_is_refused(tmp_path, content, sentence):
    (tmp_path / "clicks.json").write_text(content)
    with pytest.raises(GlamError, match=f"clicks.json: .*{sentence}"):
        read_prompts(tmp_path / "clicks.json")


@pytest.mark.parametrize("text", ["red", "=front@0:1,2", "red=", "red=front@0:1", "red=front:1,2", "red=front@0:a,b"])
def test_what_is_no_place_is_refused_with_what_would_be(text):
    with pytest.raises(GlamError, match=r"--object .*CAMERA@FRAME:X,Y"):
        parse_objects([text])


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ([], "no object; point at some with --object"),
        ([f"o{number}=front@0:1,1" for number in range(5)], "5 objects; at most 4"),
        (["red=side@0:1,1"], "no camera 'side'; choose one of front, overhead"),
        (["red=front@5/0:1,1"], "has episodes 0 to 1"),
        (["red=front@1/9:1,1"], "the episode has frames 0 to 4"),
        (["red=front@0:20,1"], r"\(20, 1\) is outside the image of 16 x 16 pixels"),
        (["red=front@0:-1,1"], "outside the image"),
        (["red=front@0:5,5,5,9"], "left < right"),
        (["red=front@0:5,5,8,99"], "outside the image"),
    ],
)
def test_what_the_dataset_does_not_have_is_refused(dataset, texts, sentence):
    with pytest.raises(GlamError, match=sentence):
        require_fitting(parse_objects(texts), dataset)


def test_an_object_that_nothing_points_at_and_a_prompt_without_place_are_refused(dataset):
    with pytest.raises(GlamError, match="object blue: nothing points at it"):
        require_fitting(Prompts(("red", "blue"), parse_objects(["red=front@0:1,1"]).prompts), dataset)
    with pytest.raises(GlamError, match="needs a click on the object or a box"):
        require_fitting(Prompts(("red",), (Prompt(0, "front", "red"),)), dataset)
    with pytest.raises(GlamError, match="no object 'blue'"):
        require_fitting(Prompts(("red",), parse_objects(["red=front@0:1,1", "blue=front@0:1,1"]).prompts), dataset)


def test_what_fits_is_accepted(dataset):
    require_fitting(parse_objects(["red=front@0:16,16", "blue=#0000ff", "red=overhead@1/4:0,0,16,16"]), dataset)
