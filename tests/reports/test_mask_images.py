"""Images to judge masks by show what they should."""

import io

import av
import numpy as np
import pytest
from PIL import Image
from tests.data import tiny

from glam.data.reader import Dataset
from glam.reports.mask_images import ClickedFrame, click_sheet, colours_of, mask_film, mask_sheet


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    root = tmp_path_factory.mktemp("masked") / "set"
    tiny.record(root, 2)
    return Dataset.open(root)


def opened(content):
    return np.asarray(Image.open(io.BytesIO(content)).convert("RGB"))


def test_a_film_shows_all_frames_of_the_episodes_with_cameras_side_by_side(dataset):
    with av.open(io.BytesIO(mask_film(dataset, [0, 1]))) as film:
        frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
    assert len(frames) == len(dataset)
    assert frames[0].shape == (256, 2 * 256 + 2, 3)


def test_a_sheet_has_a_row_for_every_camera_and_outlines_in_the_colours_of_the_objects(dataset):
    sheet = opened(mask_sheet(dataset, [0, 1]))
    assert sheet.shape == (4 * 256 + 3 * 2, 8 * 256 + 7 * 2, 3)
    drawn = [(sheet == np.array(colour)).all(-1) for colour in colours_of(dataset.schema.objects)]
    assert np.count_nonzero(np.any(drawn, axis=0)) > 256


def test_clicks_are_crosses_at_their_place_in_the_enlarged_image():
    image = np.full((48, 64, 3), 90, np.uint8)
    (red,) = colours_of(["red"])
    sheet = opened(click_sheet([ClickedFrame("episode 0", image, {"red": [(40.0, 12.0)]})], ["red"]))
    y, x = np.argwhere((sheet == np.array(red)).all(-1)).mean(0)
    times, margin = 4, 22
    assert (x - margin) / times == pytest.approx(40, abs=0.6)
    assert (y - 2 * margin) / times == pytest.approx(12, abs=0.6)


def test_doubtful_frames_have_a_title_of_another_colour_and_rows_are_filled_up():
    image = np.full((96, 96, 3), 90, np.uint8)
    frames = [ClickedFrame(f"episode {number}", image, {}, is_doubtful=number == 4) for number in range(5)]
    sheet = opened(click_sheet(frames, []))
    half = sheet.shape[0] // 2
    amber = (np.abs(sheet.astype(int) - (255, 170, 0)).sum(-1) < 30).any(1)
    assert amber[half:].any()
    assert not amber[:half].any()


def test_objects_called_by_a_colour_get_it_and_others_one_of_their_own():
    colours = colours_of(["red", "cup", "blue"])
    assert len(set(colours)) == 3
    assert colours[0][0] > max(colours[0][1:])
    assert colours[2][2] > colours[2][0]
