"""Datasets of the Hub, of which a stand-in gives a local folder: the revision is pinned, and a download resumes."""

import shutil
import sys
from types import SimpleNamespace

import pytest
from tests.interop.lerobot import foreign
from tests.typed import refused

from glam.data.reader import Dataset
from glam.interop.hub import is_hub_id, pinned

FIRST, SECOND = "a" * 40, "b" * 40
TOP = ("--map", "observation.images.front=observation.images.top", "--size", "16")


class Hub:
    """The two calls that we make; `goes_down` counts the downloads until the network fails."""

    def __init__(self, folder):
        self.folder, self.main, self.downloads, self.is_down = folder, FIRST, [], False

    def __call__(self):
        return SimpleNamespace(dataset_info=self.info)

    def info(self, repo, revision=None):
        self.require(repo)
        return SimpleNamespace(sha=revision if revision in (FIRST, SECOND) else self.main)

    def snapshot_download(self, repo, repo_type, revision, local_dir):
        self.require(repo)
        assert repo_type == "dataset"
        self.downloads.append(revision)
        shutil.copytree(self.folder, local_dir, dirs_exist_ok=True)

    def require(self, repo):
        if self.is_down:
            raise ConnectionError("the network is unreachable\nmore")
        if repo != "someone/arm":
            raise LookupError(f"404: no dataset {repo}")


@pytest.fixture
def hub(tmp_path, monkeypatch):
    made = Hub(foreign.arm(tmp_path / "remote"))
    library = SimpleNamespace(HfApi=made, snapshot_download=made.snapshot_download)
    monkeypatch.setitem(sys.modules, "huggingface_hub", library)
    monkeypatch.setenv("GLAM_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return made


def origin(root):
    return Dataset.open(root).provenance["description"]["config"]["hub"]


def test_a_dataset_of_the_hub_is_adopted_at_a_revision_that_is_recorded(hub, glam, tmp_path):
    said = glam("data", "adopt", "someone/arm", "--out", tmp_path / "set", *TOP)
    assert said.code == 0
    assert said.lines[0] == f"someone/arm on the Hub, revision {FIRST}"
    assert origin(tmp_path / "set") == {"repo": "someone/arm", "revision": FIRST}
    glam("data", "adopt", "someone/arm", "--out", tmp_path / "other", "--revision", SECOND, *TOP)
    assert origin(tmp_path / "other")["revision"] == SECOND


def test_the_same_command_goes_on_with_the_same_revision_and_without_a_network(hub, glam, tmp_path):
    glam("data", "adopt", "someone/arm", "--out", tmp_path / "set", *TOP)
    hub.main, hub.is_down = SECOND, True
    said = glam("data", "adopt", "someone/arm", "--out", tmp_path / "set", *TOP)
    assert said.code == 0
    assert said.lines[0].endswith(FIRST)
    assert hub.downloads == [FIRST]


@pytest.mark.parametrize("content", ["[]", "3", '{"description": [1]}', '{"description": {"config": {"hub": 7}}}'])
def test_notes_of_a_recording_that_are_none_name_no_revision(tmp_path, content):
    (tmp_path / "meta").mkdir()
    (tmp_path / "meta/recording.json").write_text(content)
    assert pinned(tmp_path, "lerobot/pusht") == ""


def test_a_download_that_was_cut_short_is_resumed(hub, glam, tmp_path):
    whole = hub.folder
    hub.folder = tmp_path / "part"
    (hub.folder / "meta").mkdir(parents=True)
    for name in ("HfApi", "snapshot_download"):
        assert hasattr(sys.modules["huggingface_hub"], name)
    broken = sys.modules["huggingface_hub"]

    def cut(*words, **wanted):
        hub.snapshot_download(*words, **wanted)
        raise ConnectionError("reset by peer")

    sys.modules["huggingface_hub"] = SimpleNamespace(HfApi=hub, snapshot_download=cut)
    assert glam("data", "adopt", "someone/arm", "--out", tmp_path / "set", *TOP).code == 2
    sys.modules["huggingface_hub"], hub.folder = broken, whole
    assert glam("data", "adopt", "someone/arm", "--out", tmp_path / "set", *TOP).code == 0
    assert hub.downloads == [FIRST, FIRST]


def test_what_the_hub_does_not_give_is_one_sentence(hub, glam, tmp_path):
    place = tmp_path / "remote"
    words = ("data", "adopt", "someone/else", "--out", tmp_path / "set")
    assert "someone/else: no such folder, and the Hub does not give it: 404" in refused(glam, place, *words)
    hub.is_down = True
    words = ("data", "adopt", "someone/arm", "--out", tmp_path / "set")
    assert refused(glam, place, *words).endswith("does not give it: the network is unreachable")
    assert not (tmp_path / "set").exists()


def test_without_the_library_it_is_named(hub, glam, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    said = refused(glam, tmp_path / "remote", "data", "adopt", "someone/arm", "--out", tmp_path / "set")
    assert "someone/arm: no such folder, and datasets of the Hub need huggingface_hub: pip install" in said


def test_a_folder_has_no_revision(hub, glam, tmp_path):
    words = ("data", "adopt", tmp_path / "remote", "--out", tmp_path / "set", "--revision", "main")
    assert "--revision main: " in refused(glam, tmp_path / "remote", *words)


@pytest.mark.parametrize(("text", "is_one"), [
    ("lerobot/pusht", True), ("a-b/c.d_e", True), ("pusht", False), ("a/b/c", False), ("../b", False), ("a/..", False),
    ("a/b..c", False), ("/a/b", False), ("a/", False), ("a b/c", False),
])  # fmt: skip
def test_ids_are_told_from_paths(text, is_one):
    assert is_hub_id(text) == is_one
