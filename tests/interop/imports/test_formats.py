"""The format of a path is found out, or asked for."""

import zipfile

import pytest
from tests.interop.imports import foreign

from glam.core.errors import GlamError
from glam.interop.imports.formats import AUTO, find_format


def test_formats_are_recognised(tmp_path):
    sources = {
        "robomimic": [foreign.robomimic(tmp_path / "demo.bin")],
        "umi-zarr": [
            foreign.replay_buffer(tmp_path / name, {"a": foreign.joints(4, 0)}) for name in ("a.zip", "b.zarr")
        ],
        "video-folder": [foreign.video_folder(tmp_path / "films", (4,))],
    }
    for name, paths in sources.items():
        for path in paths:
            assert find_format(AUTO, path) == name


def test_the_name_of_a_damaged_file_still_tells_its_format(tmp_path):
    (tmp_path / "a.hdf5").write_bytes(b"")
    (tmp_path / "b.zarr.zip").write_bytes(b"")
    assert find_format(AUTO, tmp_path / "a.hdf5") == "robomimic"
    assert find_format(AUTO, tmp_path / "b.zarr.zip") == "umi-zarr"


def test_what_cannot_be_is_refused(tmp_path):
    (tmp_path / "text").write_text("x")
    (tmp_path / "folder").mkdir()
    with zipfile.ZipFile(tmp_path / "a.zip", "w"):
        pass
    for name, path, message in (
        (AUTO, tmp_path / "none", "no such file or folder"),
        (AUTO, tmp_path / "text", "choose one with --from: robomimic, umi-zarr, video-folder"),
        (AUTO, tmp_path / "folder", "in no known format"),
        ("lance", tmp_path / "text", "no format 'lance'"),
        ("robomimic", tmp_path / "folder", "is a folder, which robomimic cannot be"),
        ("video-folder", tmp_path / "a.zip", "is a file, which video-folder cannot be"),
    ):
        with pytest.raises(GlamError, match=message):
            find_format(name, path)
