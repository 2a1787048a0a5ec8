"""A run folder belongs to one command: the same goes on, another is refused by the first field that differs."""

import json
import re
from dataclasses import replace

import pytest

from glam.core.errors import GlamError
from glam.training import artefact
from glam.training.artefact import RunDescription, opened, require_same_config
from glam.training.batches import Processes
from glam.training.learner import FitConfig

DESCRIPTION = RunDescription("toy", FitConfig(steps=5), 1, {"target": "abc"}, ("glam", "train"))


def open_and_close(root, description=DESCRIPTION):
    with opened(root, description):
        pass


@pytest.fixture
def root(tmp_path):
    open_and_close(tmp_path / "run")
    return tmp_path / "run"


def test_a_new_folder_gets_the_whole_description(root):
    record = json.loads((root / "config.json").read_text())
    assert record["config"]["steps"] == 5
    assert record["inputs"] == {"target": "abc"}
    assert record["command"] == ["glam", "train"]
    assert record["versions"].keys() >= {"torch", "glam-robot"}
    assert "python" in record["machine"]


def test_the_same_description_goes_on_and_changes_nothing(root):
    before = (root / "config.json").read_bytes()
    open_and_close(root, replace(DESCRIPTION, command=("python", "-m", "glam", "train")))
    assert (root / "config.json").read_bytes() == before


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"config": FitConfig(steps=6)}, "config.steps is 5 there and 6 here"),
        ({"config": FitConfig(steps=5, learning_rate=0.5)}, "config.learning_rate is 0.001 there and 0.5 here"),
        ({"seed": 2}, "seed is 1 there and 2 here"),
        ({"inputs": {"target": "xyz"}}, "inputs.target is 'abc' there and 'xyz' here"),
        ({"inputs": {}}, "inputs.target is 'abc' there and 'nothing' here"),
        ({"kind": "policy"}, "kind is 'toy' there and 'policy' here"),
    ],
)
def test_another_description_is_refused_by_its_first_difference(root, changes, difference):
    before = (root / "config.json").read_bytes()
    with pytest.raises(GlamError, match=re.escape(f"started with another setting: {difference}; use the same")):
        open_and_close(root, replace(DESCRIPTION, **changes))
    assert (root / "config.json").read_bytes() == before


def test_other_versions_end_an_unfinished_run_and_not_a_finished_one(root, monkeypatch):
    monkeypatch.setattr(artefact, "versions", lambda: {"torch": "99"})
    with pytest.raises(GlamError, match="started with another setting: versions"), opened(root, DESCRIPTION):
        pass
    (root / "metrics.jsonl").write_text("")
    artefact.finish(root, {}, {})
    open_and_close(root)


def test_a_second_training_in_the_folder_is_refused(root):
    with opened(root, DESCRIPTION), pytest.raises(GlamError, match="another training is writing here"):
        open_and_close(root)


def test_a_folder_with_other_things_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(GlamError, match=r"holds thesis\.tex, which a training did not make; choose a new"):
        open_and_close(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(GlamError, match="file: is a file; choose a folder"), opened(tmp_path / "file", DESCRIPTION):
        pass


def test_what_a_crash_left_before_the_first_file_is_no_obstacle(tmp_path):
    (tmp_path / ".lock").write_text("")
    (tmp_path / ".config.json.123.glam.tmp").write_text("half")
    open_and_close(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "config.json"]


@pytest.mark.parametrize("content", ["[]", '{"format": 99}'])
def test_a_config_of_another_format_is_refused(root, content):
    (root / "config.json").write_text(content)
    with pytest.raises(GlamError, match=r"config\.json: not a config of format 1"), opened(root, DESCRIPTION):
        pass


def test_only_the_first_of_several_processes_writes(tmp_path):
    with opened(tmp_path / "run", DESCRIPTION, Processes(1, 2)):
        assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("words", "preset"),
    [
        (("--preset", "demo"), "--preset demo"),
        (("--preset=paper",), "--preset paper"),
        ((), "the default --preset cpu"),
    ],
)
def test_another_setting_names_the_preset_of_the_run_that_is_there(tmp_path, words, preset):
    command = ("glam", "train-world-model", "glam", *words)
    open_and_close(tmp_path / "run", replace(DESCRIPTION, command=command))
    with pytest.raises(GlamError, match=re.escape(f"another folder (the run there has {preset})")):
        require_same_config(tmp_path / "run", DESCRIPTION.kind, FitConfig(steps=6))
    require_same_config(tmp_path / "run", DESCRIPTION.kind, DESCRIPTION.config)
    require_same_config(tmp_path / "new", DESCRIPTION.kind, DESCRIPTION.config)
