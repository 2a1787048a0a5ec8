"""A source is known by its content, and is what its maker lists."""

import subprocess

import pytest

from glam.core.errors import GlamError
from glam.core.files import sha256
from glam.interop.imports.checksums import fingerprint


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "set"
    (root / "a").mkdir(parents=True)
    (root / "a/one").write_bytes(b"1")
    (root / "two").write_bytes(b"2")
    return root


def listed(folder):
    """As a maker of data would write it."""
    command = "find . -type f ! -name SHA256SUMS | xargs sha256sum > SHA256SUMS"
    subprocess.run(command, shell=True, cwd=folder, check=True)


def test_equal_content_has_an_equal_fingerprint_wherever_it_lies(folder, tmp_path):
    before = fingerprint(folder)
    moved = folder.rename(tmp_path / "moved")
    (moved / ".hidden").write_text("of no account")
    assert fingerprint(moved) == before
    (moved / "two").rename(moved / "three")
    assert fingerprint(moved) != before


def test_a_list_that_agrees_changes_nothing(folder):
    before = fingerprint(folder)
    listed(folder)
    assert fingerprint(folder) == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda root: (root / "a/one").write_bytes(b"3"), "a/one is missing or not what was listed"),
        (lambda root: (root / "a/one").unlink(), "a/one is missing or not what was listed"),
        (lambda root: (root / "new").write_bytes(b""), "new is not listed"),
        (lambda root: (root / "SHA256SUMS").write_bytes(b"nonsense"), "not a line as sha256sum writes it"),
    ],
)
def test_a_list_that_disagrees_names_the_file(folder, change, message):
    listed(folder)
    change(folder)
    with pytest.raises(GlamError, match=rf"SHA256SUMS: .*{message}"):
        fingerprint(folder)


def test_the_list_of_a_single_file_lies_beside_it(tmp_path):
    file = tmp_path / "demo.hdf5"
    file.write_bytes(b"content")
    beside = tmp_path / "demo.hdf5.sha256"
    beside.write_text(f"{sha256(file)}  demo.hdf5\n")
    before = fingerprint(file)
    file.write_bytes(b"Content")
    with pytest.raises(GlamError, match=r"demo\.hdf5 is missing or not what was listed"):
        fingerprint(file)
    beside.unlink()
    assert fingerprint(file) != before
