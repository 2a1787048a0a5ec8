"""docs/add_an_importer.md is run as it stands."""

import importlib
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.data.tiny import images
from tests.interop.imports import foreign

from glam.core.errors import GlamError
from glam.data.check import check_dataset
from glam.data.reader import Dataset
from glam.data.schema import ACTION, EE_POSE, STATE
from glam.interop.imports import formats
from glam.interop.imports.formats import AUTO, FORMATS, ImportFormat
from glam.interop.imports.recordings import Hints
from glam.stages.convert import ConvertConfig, convert

PAGE = Path(__file__).parents[3] / "docs/add_an_importer.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LENGTHS = (6, 5)
CONFIG = ConvertConfig(hints=Hints(source_rate=foreign.RATE, task="Lift the cube."))


@pytest.fixture
def registered(tmp_path, monkeypatch):
    """The page's importer, in a module of its own that the reader process finds too, and the page's own line."""
    file, line = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    (tmp_path / "code").mkdir()
    (tmp_path / "code/npz_folder.py").write_text(file, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "code"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "code"), *filter(None, sys.path)]))
    monkeypatch.delitem(sys.modules, "npz_folder", raising=False)
    importlib.invalidate_caches()
    monkeypatch.setattr(formats, "FORMATS", dict(FORMATS))
    assert "glam.interop.imports.npz_folder" in line
    exec(line.replace("glam.interop.imports.", ""), {"FORMATS": formats.FORMATS, "ImportFormat": ImportFormat})


def content(index, *, labels=True):
    motion, frames = foreign.path(LENGTHS[index], index), LENGTHS[index]
    arrays = {
        "images_front": images(foreign.SIZE, frames, index),
        "position": motion.position,
        "quaternion": motion.rotation.as_quat(),
        "gripper": 0.08 * motion.opening,
    }
    return arrays | (
        {"state": foreign.joints(frames, index), "action": foreign.actions(frames, index)} if labels else {}
    )


@pytest.fixture
def source(tmp_path):
    (tmp_path / "recorded").mkdir()
    for index in range(len(LENGTHS)):
        np.savez_compressed(tmp_path / f"recorded/episode_{index:03d}.npz", **content(index))
    return tmp_path / "recorded"


def test_the_importer_of_the_page_makes_a_dataset_without_findings(registered, source, tmp_path):
    made = convert(CONFIG, source, tmp_path / "set")
    assert (made.role, made.episodes, made.frames, made.rate) == ("target", 2, sum(LENGTHS), foreign.RATE)
    assert [finding for finding in check_dataset(made.root) if finding.severity == "error"] == []
    read = Dataset.open(made.root)
    assert read.schema.cameras == ("front",)
    for index, frames in enumerate(LENGTHS):
        vectors = read.vectors(index)
        opening = foreign.path(frames, index).opening / max(
            foreign.path(n, i).opening.max() for i, n in enumerate(LENGTHS)
        )
        np.testing.assert_allclose(
            vectors[EE_POSE][:, :9], foreign.expected_pose(foreign.path(frames, index))[:, :9], atol=1e-6
        )
        np.testing.assert_allclose(vectors[EE_POSE][:, 9], opening, atol=1e-6)
        np.testing.assert_allclose(vectors[STATE], foreign.joints(frames, index), atol=1e-6)
        np.testing.assert_allclose(vectors[ACTION], foreign.actions(frames, index), atol=1e-6)
        assert (
            np.abs(read.images(index, "observation.images.front").astype(int) - content(index)["images_front"]).mean()
            < 8
        )


def test_a_set_without_actions_is_auxiliary(registered, source, tmp_path):
    for index in range(len(LENGTHS)):
        np.savez(source / f"episode_{index:03d}.npz", **content(index, labels=False))
    assert convert(CONFIG, source, tmp_path / "set").role == "auxiliary"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"position": np.full((6, 3), np.nan)}, "position is nan in frame 0"),
        ({"position": np.zeros((5, 3))}, "position has 5 frames instead of 6"),
        ({"quaternion": np.zeros((6, 4))}, "frame 0 is no unit quaternion"),
        ({"images_front": np.zeros((6, 4, 4))}, "it must be uint8 of shape"),
        ({"gripper": np.array([{}] * 6)}, "not a list of numbers"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_nothing_is_written(registered, source, tmp_path, change, sentence):
    np.savez(source / "episode_000.npz", **(content(0) | change))
    with pytest.raises(GlamError, match=sentence) as caught:
        convert(CONFIG, source, tmp_path / "set")
    assert str(caught.value).startswith(str(source / "episode_000.npz"))
    assert not (tmp_path / "set").exists()


def test_a_damaged_archive_ends_in_a_sentence_of_the_reader_process(registered, source, tmp_path):
    file = source / "episode_001.npz"
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(GlamError, match=r"episode_001\.npz: is damaged"):
        convert(CONFIG, source, tmp_path / "set")


def test_a_format_without_a_rate_asks_for_one(registered, source, tmp_path):
    with pytest.raises(GlamError, match="give it with --source-rate"):
        convert(ConvertConfig(AUTO), source, tmp_path / "set")
