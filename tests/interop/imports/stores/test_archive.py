import pytest
from tests.interop.imports import foreign
from tests.interop.imports.stores.arrays import NUMBERS

from glam.core.errors import GlamError
from glam.interop.imports.stores.archive import open_archive


def test_zip_checksums_are_verified_and_absent_members_named(tmp_path):
    file = foreign.replay_buffer(tmp_path / "s.zarr.zip", {"a": NUMBERS}, codec=None)
    content = bytearray(file.read_bytes())
    content[content.index(NUMBERS[4:8].tobytes()) + 5] ^= 1
    file.write_bytes(content)
    archive = open_archive(file)
    with pytest.raises(GlamError, match=r"data/a/1\.0 is damaged \(Bad CRC"):
        archive.read("data/a/1.0", 1000)
    with pytest.raises(GlamError, match="has no data/b"):
        archive.read("data/b", 1000)


def test_files_of_a_folder_are_bounded_too(tmp_path):
    (tmp_path / "a").write_bytes(bytes(10))
    archive = open_archive(tmp_path)
    assert archive.read("a", 10) == bytes(10)
    with pytest.raises(GlamError, match="longer than 9 bytes"):
        archive.read("a", 9)
    with pytest.raises(GlamError, match="has no b"):
        archive.read("b", 9)


def test_links_in_a_folder_are_not_followed(tmp_path):
    (tmp_path / "secret").write_bytes(bytes(10))
    (tmp_path / "store").mkdir()
    (tmp_path / "store/a").symlink_to(tmp_path / "secret")
    with pytest.raises(GlamError, match="has no a"):
        open_archive(tmp_path / "store").read("a", 10)
