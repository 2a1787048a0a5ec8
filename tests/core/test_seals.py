"""A sealed file is what it was when it was sealed, or reading it is an error that names it."""

import errno
import hashlib
import random
import resource
from contextlib import contextmanager

import pytest

from glam.core import files, seals
from glam.core.errors import GlamError

CONTENTS = {"a.bin": bytes(range(256)), "b.json": b'{"x": 1}'}


@pytest.fixture
def folder(tmp_path):
    seals.write(tmp_path, CONTENTS)
    return tmp_path


def read_all(folder):
    return {name: seals.read(folder, name) for name in CONTENTS}


def test_sealed_files_are_read_as_written(folder):
    assert read_all(folder) == CONTENTS
    assert seals.read_json(folder, "b.json") == {"x": 1}
    assert list(seals.digests(folder)) == ["a.bin", "b.json"]
    assert seals.is_sealed(folder)


def test_every_flipped_bit_is_found_and_its_file_named(folder):
    positions = random.Random(0)
    for name in [*CONTENTS, seals.MANIFEST]:
        path = folder / name
        content = path.read_bytes()
        for _ in range(60):
            damaged = bytearray(content)
            damaged[positions.randrange(len(content))] ^= 1 << positions.randrange(8)
            path.write_bytes(damaged)
            if name == seals.MANIFEST and not bytes(damaged).strip():
                continue
            with pytest.raises(GlamError, match=f"{name}"):
                read_all(folder)
        path.write_bytes(content)
    assert read_all(folder) == CONTENTS


def test_files_that_lie_there_are_sealed_as_well(tmp_path):
    (tmp_path / "there.txt").write_bytes(b"old")
    seals.write(tmp_path, CONTENTS, also=["there.txt"])
    assert seals.read(tmp_path, "there.txt") == b"old"
    (tmp_path / "there.txt").write_bytes(b"new")
    with pytest.raises(GlamError, match=r"there\.txt: damaged"):
        seals.read(tmp_path, "there.txt")


def test_every_flipped_bit_of_an_object_with_its_own_checksum_is_found(tmp_path):
    path, value = tmp_path / "record.json", {"result": [1.5, {"a": "b"}], "name": "x"}
    seals.write_object(path, value)
    assert seals.read_object(path) == value
    content, refused = path.read_bytes(), 0
    for position in range(8 * len(content)):
        damaged = bytearray(content)
        damaged[position // 8] ^= 1 << position % 8
        path.write_bytes(damaged)
        try:
            assert seals.read_object(path) == value
        except GlamError as error:
            refused += "record.json" in str(error)
    assert refused > 0.8 * 8 * len(content)


def test_an_object_that_is_none_is_refused(tmp_path):
    (tmp_path / "record.json").write_text("[1, 2]")
    with pytest.raises(GlamError, match=r"record\.json: damaged"):
        seals.read_object(tmp_path / "record.json")


def test_an_object_whose_checksum_is_gone_is_refused(tmp_path):
    (tmp_path / "record.json").write_text('{"result": 1.0, "ha256": ""}')
    with pytest.raises(GlamError, match=r"record\.json: damaged"):
        seals.read_object(tmp_path / "record.json")


def test_a_missing_file_is_named(folder):
    (folder / "a.bin").unlink()
    with pytest.raises(GlamError, match=r"a\.bin: cannot be read \(No such file"):
        seals.read(folder, "a.bin")


def test_a_file_that_was_not_sealed_is_not_read(folder):
    (folder / "c.bin").write_bytes(b"new")
    with pytest.raises(GlamError, match=r"manifest\.json: does not list c\.bin"):
        seals.read(folder, "c.bin")


def test_a_folder_without_seal_is_not_sealed(tmp_path):
    assert not seals.is_sealed(tmp_path)
    with pytest.raises(GlamError, match=r"manifest\.json: no such file"):
        seals.read(tmp_path, "a.bin")


@pytest.mark.parametrize("content", ["[]", '{"format": 2, "files": {}}', '{"format": 1}'])
def test_another_format_is_refused(folder, content):
    (folder / seals.MANIFEST).write_text(content)
    with pytest.raises(GlamError, match=r"manifest\.json: not a manifest of format 1"):
        read_all(folder)


def test_sealed_json_that_is_none_is_named(tmp_path):
    seals.write(tmp_path, {"b.json": b"{"})
    with pytest.raises(GlamError, match=r"b\.json: not valid JSON"):
        seals.read_json(tmp_path, "b.json")


def test_digests_are_those_of_the_contents(folder):
    assert seals.digests(folder) == {name: hashlib.sha256(content).hexdigest() for name, content in CONTENTS.items()}


def test_the_seal_comes_after_the_files(tmp_path, monkeypatch):
    order = []
    replacing = files.replacing

    @contextmanager
    def noted(path):
        order.append(path.name)
        with replacing(path) as temporary:
            yield temporary

    monkeypatch.setattr(files, "replacing", noted)
    seals.write(tmp_path, CONTENTS)
    assert order == ["a.bin", "b.json", seals.MANIFEST]


def test_a_full_disk_is_said_with_the_place_and_the_bytes(tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(GlamError, match=r"cannot be written \(File too large\); 5000 bytes are needed there"):
            seals.write(tmp_path, {"large.bin": bytes(5000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


def test_what_is_read_back_differently_is_reported(tmp_path, monkeypatch):
    write_bytes = files.write_bytes
    monkeypatch.setattr(files, "write_bytes", lambda path, content: write_bytes(path, content[:-1]))
    with pytest.raises(GlamError, match=r"a\.bin: its content differs from what was written"):
        seals.write(tmp_path, CONTENTS)
    assert not seals.is_sealed(tmp_path)


def test_any_failure_of_the_system_becomes_a_sentence(tmp_path):
    message = r"place: cannot be written \(No space left on device\); 12 bytes"
    with pytest.raises(GlamError, match=message), seals.writing(tmp_path / "place", 12):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_equal_values_are_equal_json_bytes():
    assert seals.json_bytes({"a": 1, "b": 2}) == seals.json_bytes({"b": 2, "a": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        seals.json_bytes(float("nan"))
