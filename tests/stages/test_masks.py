"""Masks for a whole dataset: resumed by the same call, and shown in images."""

import io

import numpy as np
import pytest
from PIL import Image
from tests.data.tiny import content
from tests.interop.segmenters import painted, recorded
from tests.interop.segmenters.test_proposals import CLICKS, Flat

from glam.core.errors import GlamError
from glam.data.check import check_dataset
from glam.data.reader import Dataset
from glam.interop.segmenters.by_clicks import ByClicks
from glam.interop.segmenters.judging import JudgeConfig
from glam.interop.segmenters.prompts import Prompts, parse_objects, read_prompts
from glam.interop.segmenters.proposals import ObjectAppearances, learn_appearances
from glam.interop.segmenters.regions import overlap
from glam.stages.masks import make_masks, propose

FRAMES = 2 * recorded.EPISODES * recorded.FRAMES


@pytest.fixture(scope="module")
def squares(tmp_path_factory):
    return recorded.squares(tmp_path_factory.mktemp("squares") / "set")


def maker(source, texts=CLICKS):
    return ByClicks(Flat(), Dataset.open(source), parse_objects(texts), JudgeConfig())


@pytest.fixture(scope="module")
def made(squares, tmp_path_factory):
    out = tmp_path_factory.mktemp("made") / "set"
    return make_masks(squares, out, maker(squares), with_film=True)


def test_masks_cover_the_objects_in_every_episode(made):
    dataset, ious = Dataset.open(made.root), []
    for index in range(recorded.EPISODES):
        for camera in recorded.SCHEMA.cameras:
            masks, true = dataset.masks(index, f"observation.masks.{camera}"), recorded.images(index, camera)
            for channel, colour in enumerate((painted.RED, painted.BLUE)):
                pairs = zip(masks[..., channel] > 0, painted.truth(true, colour), strict=True)
                ious += [overlap(found, wanted) for found, wanted in pairs]
    assert len(ious) == 2 * FRAMES
    assert np.mean(ious) > 0.99
    assert (made.made, made.hidden) == (FRAMES, ())
    assert made.seconds > 0.0


def test_the_result_is_a_healthy_dataset_with_images_beside_it(made, squares):
    assert {finding.code for finding in check_dataset(made.root)} <= {
        finding.code for finding in check_dataset(squares)
    }
    assert Dataset.open(made.root).schema.objects == ("red", "blue")
    assert [path.name for path in made.images] == ["set-masks.png", "set-masks.mp4"]
    assert all(path.stat().st_size > 1000 for path in made.images)


def test_an_interrupted_run_goes_on_and_ends_as_if_nothing_had_happened(squares, made, tmp_path):
    def interrupt(done, total):
        assert total == FRAMES
        if done > FRAMES // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_masks(squares, tmp_path / "set", maker(squares), progress=interrupt)
    seen = []
    again = make_masks(
        squares, tmp_path / "set", maker(squares), progress=lambda done, total: seen.append((done, total))
    )
    assert again.made < FRAMES, "what was safe is not made again"
    assert seen[-1] == (FRAMES, FRAMES)
    assert seen == sorted(seen)
    assert content(tmp_path / "set") == content(made.root)


def test_a_finished_set_is_left_as_it_is(squares, made):
    before = content(made.root)
    assert make_masks(squares, made.root, maker(squares)).made == 0
    assert content(made.root) == before


def test_other_clicks_in_the_same_folder_are_refused(squares, made):
    with pytest.raises(GlamError, match="begun here with another prompts"):
        make_masks(squares, made.root, maker(squares, [*CLICKS, "red=front@1/0:9,16"]))


def test_objects_that_are_nowhere_are_told(squares, tmp_path):
    done = make_masks(squares, tmp_path / "set", maker(squares, [*CLICKS[:2], "green=#20f020"]))
    assert len(done.hidden) == 6
    assert (0, "front", "green") in done.hidden


def test_proposed_clicks_are_written_with_a_sheet_and_serve_as_prompts(squares, tmp_path):
    dataset, prompts = Dataset.open(squares), parse_objects(CLICKS)
    appearances = learn_appearances(Flat(), dataset, prompts)
    found = propose(dataset, prompts, appearances, tmp_path / "clicks.json")
    assert read_prompts(tmp_path / "clicks.json") == found
    assert len(found.prompts) == 2 * 2 * recorded.EPISODES
    assert found.prompts[:4] == prompts.prompts, "the user's own come first, unchanged"
    sheet = Image.open(io.BytesIO((tmp_path / "clicks.png").read_bytes()))
    assert sheet.width > 4 * 240
    again = propose(dataset, found, appearances, tmp_path / "again.json")
    assert again == found, "nothing is left to propose"


def test_without_objects_the_sheet_alone_helps_to_find_places(squares, tmp_path):
    found = propose(Dataset.open(squares), Prompts(()), ObjectAppearances({}, {}), tmp_path / "clicks.json")
    assert found.prompts == ()
    assert (tmp_path / "clicks.png").stat().st_size > 1000


def test_clicks_go_into_a_json_file(squares, tmp_path):
    with pytest.raises(GlamError, match=r"--propose .*clicks.txt: write the name of a .json file"):
        propose(Dataset.open(squares), Prompts(()), ObjectAppearances({}, {}), tmp_path / "clicks.txt")
