"""Nothing outside a dataset's folder is read, written or deleted, whatever lies or is written inside it."""

import json
import shutil

import pytest
from tests.interop.lerobot import foreign

from glam.core.errors import GlamError
from glam.data import journal, layout
from glam.data.check import check_dataset
from glam.data.copying import Copy
from glam.data.dataset_info import read_info
from glam.data.reader import Dataset
from glam.interop.imports.checksums import fingerprint

DATA = "data/chunk-000/file-000.parquet"
VIDEO = "videos/observation.images.front/chunk-000/file-000.mp4"


def moved_out(root, name):
    """Move a part of a dataset elsewhere and leave a link to it."""
    elsewhere = root.with_name("elsewhere")
    (root / name).rename(elsewhere)
    (root / name).symlink_to(elsewhere)
    return elsewhere


def read_all(root):
    dataset = Dataset.open(root)
    for index in range(len(dataset.episodes)):
        dataset.episode(index)


@pytest.mark.parametrize(
    "name",
    ["meta", layout.INFO, layout.MANIFEST, layout.TASKS, layout.EPISODES, "data", "data/chunk-000", DATA, VIDEO],
)
def test_a_link_inside_a_dataset_is_refused_and_told(target_set, name):
    moved_out(target_set, name)
    with pytest.raises(GlamError, match=r"is a link; .* cp -rL"):
        read_all(target_set)
    assert "path-outside" in {finding.code for finding in check_dataset(target_set)}


@pytest.mark.parametrize("name", ["meta/notes.txt", "videos/private"])
def test_no_link_of_a_foreign_set_is_copied_or_hashed(tmp_path, name):
    root = foreign.arm(tmp_path / "arm")
    (root / name).symlink_to("/etc/passwd" if name.endswith(".txt") else "/etc")
    with pytest.raises(GlamError, match="is a link"):
        fingerprint(root)
    with pytest.raises(GlamError, match="is a link"):
        Copy.names(type("Source", (), {"source": type("S", (), {"provenance": {}, "root": root})})())


@pytest.mark.parametrize("name", ["observation.images.../../../stolen", "a\x1b[31m", "a\ud800"])
def test_a_feature_whose_name_could_lead_elsewhere_is_refused(target_set, name):
    path = target_set / layout.INFO
    info = json.loads(path.read_text())
    info["features"][name] = info["features"]["observation.images.front"]
    path.write_text(json.dumps(info))
    with pytest.raises(GlamError, match="has a name with a slash, or with what cannot be shown"):
        read_info(target_set)


@pytest.mark.parametrize("name", ["data/chunk-000", "videos/observation.images.front/chunk-000", layout.JOURNAL])
def test_a_recording_writes_through_no_link(tiny, tmp_path, name):
    root, elsewhere = tmp_path / "set", tmp_path / "elsewhere"
    tiny.record(root, 1)
    shutil.rmtree(root / name, ignore_errors=True)
    elsewhere.mkdir()
    (root / name).symlink_to(elsewhere)
    with pytest.raises(GlamError, match="is a link"):
        tiny.record(root, 2)
    assert not list(elsewhere.iterdir())


def test_sweeping_leaves_another_dataset_and_the_drafts_of_a_user(tiny, tmp_path):
    root = tmp_path / "set"
    tiny.record(root, 1)
    others = [root / "videos/other", root / "videos/observation.images.front/other", root / "data/other"]
    for other in others:
        tiny.record(other, 2)
        (other / "meta/.info.json.77.glam.tmp").write_text("of somebody who writes there now")
    (root / "meta/.draft.tmp").write_text("mine")
    (root / "data/chunk-000/.notes.tmp").mkdir()
    before = {other: tiny.content(other) for other in others}
    tiny.record(root, 2)
    assert {other: tiny.content(other) for other in others} == before
    assert (root / "meta/.draft.tmp").read_text() == "mine"
    assert (root / "data/chunk-000/.notes.tmp").is_dir()


def test_what_a_user_keeps_in_the_journal_stays(tiny, tmp_path):
    root = tmp_path / "set"
    tiny.record(root, 1)
    (root / layout.JOURNAL / "mine").mkdir(parents=True)
    (root / layout.JOURNAL / "notes.txt").write_text("mine")
    journal.clear(root)
    assert (root / layout.JOURNAL / "notes.txt").exists()
