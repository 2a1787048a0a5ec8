"""The format of a path is found out, or asked for."""

import os
import zipfile
from pathlib import Path

import pytest
import tyro
from tests.interop.imports import foreign

from glam.commands.data import Convert
from glam.core.errors import GlamError
from glam.interop.imports.formats import AUTO, FORMATS, find_importer


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
            assert find_importer(AUTO, path)[0] == name


def test_the_name_of_a_damaged_file_still_tells_its_format(tmp_path):
    (tmp_path / "a.hdf5").write_bytes(b"")
    (tmp_path / "b.zarr.zip").write_bytes(b"")
    assert find_importer(AUTO, tmp_path / "a.hdf5")[0] == "robomimic"
    assert find_importer(AUTO, tmp_path / "b.zarr.zip")[0] == "umi-zarr"


def test_what_cannot_be_is_refused(tmp_path):
    (tmp_path / "text").write_text("x")
    (tmp_path / "folder").mkdir()
    with zipfile.ZipFile(tmp_path / "a.zip", "w"):
        pass
    for name, path, message in (
        (AUTO, tmp_path / "none", "no such file or folder"),
        (AUTO, tmp_path / "text", "name it with --format, one of robomimic, umi-zarr, video-folder"),
        (AUTO, tmp_path / "folder", "no known format"),
        ("lance", tmp_path / "text", "no format 'lance'"),
        ("robomimic", tmp_path / "folder", "is a folder; --format robomimic takes a file"),
        ("video-folder", tmp_path / "a.zip", "is a file; --format video-folder takes a folder"),
    ):
        with pytest.raises(GlamError, match=message):
            find_importer(name, path)


def test_what_never_ends_is_refused_before_an_importer_looks_inside(tmp_path):
    os.mkfifo(tmp_path / "a.zarr.zip")
    for source in (tmp_path / "a.zarr.zip", Path("/dev/zero")):
        for name in (AUTO, "umi-zarr"):
            with pytest.raises(GlamError, match="is no plain file"):
                find_importer(name, source)


def test_a_lerobot_dataset_is_sent_to_adopt(tmp_path):
    (tmp_path / "meta").mkdir()
    (tmp_path / "meta/info.json").write_text("{}")
    with pytest.raises(GlamError, match=rf"is a LeRobot dataset; use glam data adopt {tmp_path}"):
        find_importer(AUTO, tmp_path)


def test_the_help_names_every_format(capsys):
    with pytest.raises(SystemExit):
        tyro.cli(Convert, args=["--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert all(name in said for name in FORMATS)
