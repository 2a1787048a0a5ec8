"""SAM 3 as a network of few numbers: the same code that runs the published one."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import torch
from tests.interop.segmenters import painted, tiny_sam3
from tests.interop.segmenters.tiny_sam3 import SIDE

from glam.core.errors import GlamError
from glam.core.workers import no_progress
from glam.interop.segmenters import sam3
from glam.interop.segmenters.sam3 import ByText, TextConfig, open_sam3, parse_texts

TEXTS = {"red": "red cube", "blue": "blue cube"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_sam3.saved(tmp_path_factory.mktemp("sam3"))


def test_words_give_a_mask_of_every_frame_at_the_size_of_the_images(folder):
    maker = open_sam3(str(folder), TEXTS)
    anything = ByText(maker.model, maker.tokenizer, maker.provenance, TEXTS, TextConfig(least_score=0.05))
    images, seen = painted.film((painted.RED, lambda frame: (5, 5)), frames=2), []
    found = anything.masks(0, "front", images, lambda done, total: seen.append((done, total)))
    assert {name: mask.shape for name, mask in found.items()} == dict.fromkeys(TEXTS, images.shape[:3])
    assert all(mask.dtype == bool for mask in found.values())
    assert seen == [(1, 2), (2, 2)]
    again = anything.masks(0, "front", images, no_progress)
    assert all(np.array_equal(found[name], again[name]) for name in TEXTS)


def test_the_published_threshold_lets_nothing_of_a_random_model_pass(folder):
    maker = open_sam3(str(folder), TEXTS)
    found = maker.masks(0, "front", painted.film(frames=1), no_progress)
    assert not any(mask.any() for mask in found.values())
    assert maker.objects == ("red", "blue")
    assert len(maker.notes["model"]["sha256"]) == 64
    assert maker.notes["texts"] == TEXTS


class StandIn:
    """A model that finds two squares, the second of them ever more clearly."""

    config = SimpleNamespace(image_size=SIDE)

    def __init__(self, logits):
        self.logits, self.frame = logits, -1

    def parameters(self):
        return iter([torch.zeros(1)])

    def get_vision_features(self, pixels):
        self.pixels, self.frame = pixels, self.frame + 1
        return "seen"

    def __call__(self, vision_embeds, input_ids, attention_mask):
        assert vision_embeds == "seen"
        masks = torch.full((1, 2, 24, 24), -5.0)
        masks[0, 0, 2:8, 2:8] = 5.0
        masks[0, 1, 14:20, 14:20] = 5.0
        logits = torch.tensor([self.logits[self.frame]])
        return SimpleNamespace(pred_masks=masks, pred_logits=logits, presence_logits=torch.tensor([[9.0]]))


def words(text, **options):
    assert options["max_length"] == 32
    return {"input_ids": torch.zeros(1, 32, dtype=torch.long), "attention_mask": torch.ones(1, 32)}


def test_of_two_things_the_one_that_was_found_first_is_followed():
    model = StandIn([[4.0, 1.0], [1.0, 4.0], [-4.0, -4.0], [2.0, 3.0]])
    maker = ByText(model, words, {}, {"red": "red cube"})
    found = maker.masks(0, "front", painted.film(frames=4), no_progress)["red"]
    assert found[0, 8, 8]
    np.testing.assert_array_equal(found[1], found[0])
    assert not found[2].any(), "in this frame neither is likely"
    np.testing.assert_array_equal(found[3], found[0])
    assert np.count_nonzero(found[0]) == pytest.approx(144, abs=24)


def test_images_are_scaled_to_what_the_model_was_trained_with():
    model = StandIn([[4.0, 1.0]])
    ByText(model, words, {}, {"red": "red cube"}).masks(0, "front", painted.film(frames=1), no_progress)
    assert model.pixels.shape == (1, 3, SIDE, SIDE)
    expected = np.array(painted.GREY) / 127.5 - 1.0
    np.testing.assert_allclose(model.pixels[0, :, 30, 30], expected, atol=1e-5)


def test_objects_are_named_and_described():
    assert parse_texts(["red=red cube", "bowl= a wooden bowl "]) == {"red": "red cube", "bowl": "a wooden bowl"}
    for wrong in ("red", "red=", "=red cube", "red= "):
        with pytest.raises(GlamError, match=r"with --sam3 write NAME=WORDS"):
            parse_texts([wrong])
    with pytest.raises(GlamError, match="no object"):
        parse_texts([])
    with pytest.raises(GlamError, match="5 objects; at most 4"):
        parse_texts([f"o{number}=thing" for number in range(5)])


def test_what_is_neither_folder_nor_name_is_refused(tmp_path):
    with pytest.raises(GlamError, match="neither a folder nor a name such as facebook/sam3"):
        open_sam3(str(tmp_path / "nowhere"), TEXTS)


def test_a_device_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(GlamError, match="device cuda:99: not available here"):
        open_sam3(str(tmp_path), TEXTS, "cuda:99")


def test_a_folder_without_a_model_is_refused(tmp_path):
    pytest.importorskip("transformers", reason="the extra [encoders] is not installed")
    with pytest.raises(GlamError, match=r"--sam3 .*: cannot be loaded"):
        open_sam3(str(tmp_path), TEXTS)


def test_without_transformers_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(GlamError, match=r"needs transformers: pip install 'glam-robot\[encoders\]'"):
        open_sam3(str(tmp_path), TEXTS)


def test_an_old_transformers_is_told_which_version_is_needed(tmp_path, monkeypatch):
    old = ModuleType("transformers")
    old.__version__ = "4.57.6"
    old.utils = SimpleNamespace(logging=SimpleNamespace(disable_progress_bar=lambda: None))
    monkeypatch.setitem(sys.modules, "transformers", old)
    monkeypatch.setitem(sys.modules, "transformers.models.sam3.modeling_sam3", None)
    with pytest.raises(GlamError, match=f"needs transformers {sam3.FIRST_VERSION} or newer; version 4.57.6 has none"):
        open_sam3(str(tmp_path), TEXTS)
