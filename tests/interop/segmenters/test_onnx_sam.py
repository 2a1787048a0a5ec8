"""The wrapper around onnxruntime: what goes into the sessions, and where what comes out of them lies."""

import hashlib
import pickle
import sys

import numpy as np
import pytest
from tests.interop.segmenters import painted, tiny_onnx

from glam.core.errors import GlamError
from glam.interop.segmenters.mosaic import CANVAS, MASK
from glam.interop.segmenters.onnx_sam import OnnxSam, open_sam
from glam.interop.segmenters.sam_weights import SAM2_TINY, PublishedModel, WeightFile
from glam.interop.segmenters.segmenter import OFF, ON, Hint

HINT = Hint(((20.0, 12.0), (1.0, 1.0)), (ON, OFF))


class Session:
    """Notes what it is fed, and answers with what it is told to."""

    def __init__(self, answer):
        self.answer, self.fed = answer, []

    def run(self, names, feed):
        self.fed.append((names, feed))
        return self.answer(feed)


def stand_in(per_side=0):
    masks = np.full((1, 3, MASK, MASK), -5.0, np.float32)
    masks[0, 1, :64, 64:128] = 5.0
    encoder = Session(lambda feed: [feed["image"]] * 3)
    decoder = Session(lambda feed: [masks, np.array([[0.1, 0.9, 0.2]], np.float32)])
    return OnnxSam(encoder, decoder, SAM2_TINY, per_side)


def film(frames=12):
    return painted.film((painted.RED, lambda frame: (2 * frame, 6)), frames=frames)


def test_the_encoder_sees_the_canvas_scaled_as_it_was_trained():
    sam = stand_in()
    sam.encode_video(film()).guesses(0, HINT)
    ((names, feed),) = sam.encoder.fed
    assert names == ["image_embed", "high_res_feats_0", "high_res_feats_1"]
    assert (feed["image"].shape, feed["image"].dtype) == ((1, 3, CANVAS, CANVAS), np.float32)
    grey = (np.array(painted.GREY) / 255 - (0.485, 0.456, 0.406)) / (0.229, 0.224, 0.225)
    np.testing.assert_allclose(feed["image"][0, :, 120, 120], grey, atol=1e-5)


def test_points_are_those_of_the_canvas_and_masks_those_of_the_image():
    sam = stand_in(per_side=4)
    found = sam.encode_video(film()).guesses(1, HINT)
    (_, feed), scale = sam.decoder.fed[0], CANVAS / 4 / painted.SIZE
    np.testing.assert_allclose(
        feed["point_coords"], [[[256 + 20 * scale, 12 * scale], [256 + scale, scale]]], rtol=1e-6
    )
    np.testing.assert_array_equal(feed["point_labels"], [[ON, OFF]])
    assert feed["has_mask_input"] == 0.0
    assert found.logits.shape == (3, painted.SIZE, painted.SIZE)
    assert (found.logits[1] > 0).all(), "the answer covers the place of image 1 on the canvas"
    assert (found.logits[0] < 0).all()
    np.testing.assert_allclose(found.scores, [0.1, 0.9, 0.2])


def test_each_canvas_is_encoded_once_while_its_frames_are_asked_about():
    sam = stand_in(per_side=2)
    video = sam.encode_video(film(10))
    for frame in (*range(10), 7, 6, 5):
        video.guesses(frame, HINT)
    assert len(sam.encoder.fed) == 3


def test_the_provenance_names_the_files_and_how_images_were_shown():
    assert stand_in(2).provenance == {
        "model": "SAM 2 Hiera tiny",
        "images_per_side": "2",
        "encoder": SAM2_TINY.encoder.sha256,
        "decoder": SAM2_TINY.decoder.sha256,
    }
    assert stand_in().provenance["images_per_side"] == "fitting"


def test_real_files_run(tmp_path):
    """Two models of a few nodes: the red channel of the canvas is the mask."""
    pytest.importorskip("onnxruntime", reason="the extra [masks] is not installed")
    contents = {"encoder.onnx": tiny_onnx.encoder(CANVAS), "decoder.onnx": tiny_onnx.decoder(CANVAS, MASK)}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    encoder, decoder = (WeightFile(name, hashlib.sha256(content).hexdigest()) for name, content in contents.items())
    sam = open_sam(tmp_path, 1, 2, PublishedModel("tiny", "nowhere", encoder, decoder))
    images = np.zeros((3, 48, 48, 3), np.uint8)
    images[2, 8:24, 20:40, 0] = 255
    found = sam.encode_video(images).guesses(2, HINT)
    np.testing.assert_array_equal(found.logits[0] > 0, images[2, ..., 0] > 0)
    np.testing.assert_array_equal(found.logits[1] < 0, images[2, ..., 0] > 0)
    np.testing.assert_array_equal(found.scores, [ON, OFF])
    again = pickle.loads(pickle.dumps(sam))  # as on another machine, which opens the files itself
    np.testing.assert_array_equal(again.encode_video(images).guesses(2, HINT).logits, found.logits)


def test_a_file_that_onnxruntime_cannot_read_is_a_sentence(tmp_path):
    pytest.importorskip("onnxruntime", reason="the extra [masks] is not installed")
    (tmp_path / "encoder.onnx").write_bytes(b"no model")
    (tmp_path / "decoder.onnx").write_bytes(b"no model")
    digest = hashlib.sha256(b"no model").hexdigest()
    model = PublishedModel("tiny", "nowhere", WeightFile("encoder.onnx", digest), WeightFile("decoder.onnx", digest))
    with pytest.raises(GlamError, match=r"onnxruntime .* cannot run the published files"):
        open_sam(tmp_path, 1, 0, model)


def test_without_onnxruntime_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    files = {"encoder.onnx": b"a", "decoder.onnx": b"b"}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    encoder, decoder = (WeightFile(name, hashlib.sha256(content).hexdigest()) for name, content in files.items())
    with pytest.raises(GlamError, match=r"needs onnxruntime: pip install 'glam-robot\[masks\]'"):
        open_sam(tmp_path, 1, 0, PublishedModel("tiny", "nowhere", encoder, decoder))


@pytest.mark.parametrize(("threads", "per_side"), [(0, 0), (1, -1), (1, 17)])
def test_absurd_numbers_are_refused(tmp_path, threads, per_side):
    with pytest.raises(GlamError, match=r"--threads .* and --per-side"):
        open_sam(tmp_path, threads, per_side)
