from dataclasses import replace

import numpy as np
import pytest

from glam.data import layout
from glam.data.image_codecs import encode_image

FRONT, OVERHEAD = "observation.masks.front", "observation.masks.overhead"
FILE = layout.data_file(1)


def with_masks(keys, change):
    def spoil(index, episode):
        if index != 1:
            return episode
        return replace(episode, masks=episode.masks | {key: change(episode.masks[key].copy()) for key in keys})

    return spoil


def emptied(channel):
    def change(masks):
        masks[..., channel] = 0
        return masks

    return change


def test_a_mask_without_object_is_found(spoilt):
    finding = spoilt(with_masks((FRONT, OVERHEAD), emptied(1))).only("mask-empty")
    assert (finding.file, finding.episode, finding.severity) == (FILE, 1, "error")
    assert "bowl" in finding.problem


def test_an_object_that_one_camera_never_sees_is_told(spoilt):
    finding = spoilt(with_masks((OVERHEAD,), emptied(0))).only("mask-empty-view")
    assert (finding.file, finding.episode, finding.severity) == (FILE, 1, "warning")
    assert OVERHEAD in finding.problem


def test_an_object_may_be_hidden_for_a_while(spoilt):
    def hidden(masks):
        masks[3:9] = 0
        return masks

    assert spoilt(with_masks((FRONT, OVERHEAD), hidden)).findings() == ()


def test_values_between_background_and_object_are_found(spoilt):
    def smoothed(masks):
        masks[4, 10, 10, 0] = 130
        return masks

    finding = spoilt(with_masks((FRONT,), smoothed)).only("mask-values")
    assert (finding.file, finding.episode, finding.frame) == (FILE, 1, 4)


def test_two_objects_with_the_same_mask_are_told(spoilt):
    def doubled(masks):
        masks[..., 1] = masks[..., 0]
        return masks

    assert spoilt(with_masks((FRONT,), doubled)).only("mask-equal").episode == 1


@pytest.mark.parametrize("shape", [(16, 16, 2), (32, 32, 1), (32, 32, 3)])
def test_a_mask_of_another_shape_is_found(patient, shape):
    good = encode_image(np.full((32, 32, 2), 255, np.uint8))
    patient.edit_masks("front", 1, [*[good] * 6, encode_image(np.zeros(shape, np.uint8)), *[good] * 8])
    patient.seal()
    finding = next(finding for finding in patient.findings() if finding.code == "image-size")
    assert (finding.file, finding.episode, finding.frame) == (FILE, 1, 6)


@pytest.mark.parametrize("content", [b"", b"no image", b"\x89PNG\r\n\x1a\n", None])
def test_a_mask_that_cannot_be_read_is_found(patient, content):
    rng = np.random.default_rng(0)
    good = encode_image(255 * rng.integers(0, 2, (32, 32, 2), np.uint8))
    patient.edit_masks("front", 1, [*[good] * 6, content, *[good] * 8])
    patient.seal()
    finding = patient.only("unreadable")
    assert (finding.file, finding.episode, finding.frame) == (FILE, 1, 6)


def test_a_small_file_that_claims_a_huge_image_is_not_unpacked(patient):
    good = encode_image(255 * np.random.default_rng(0).integers(0, 2, (32, 32, 2), np.uint8))
    bomb = good[:16] + (60_000).to_bytes(4, "big") * 2 + good[24:]
    patient.edit_masks("front", 1, [bomb, *[good] * 14])
    patient.seal()
    assert "60000 x 60000" in patient.only("image-size").problem
